-- The order's terms right after the event, as the contract's JSON, for `order.placed` and `order.changed`. NULL for
-- other events and for events written by a server of 1.0.0.
ALTER TABLE events ADD COLUMN terms text;
