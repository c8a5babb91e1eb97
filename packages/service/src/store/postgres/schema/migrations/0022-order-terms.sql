-- The terms of the order right after the event, as the contract's JSON, in events of the types `order.placed` and `order.changed`. NULL in others, and
-- in those that a server of 1.0.0 writes.
ALTER TABLE events ADD COLUMN terms text;
