// What a store of schema 14 may hold, in the SQL of both stores: an order that was returned, and one that was cancelled.

/** `no`: how the store writes false. */
export const movedTwice = (no: '0' | 'false') => `
  INSERT INTO keys (name, hash, read_only, created_at) VALUES ('till', 'h', ${no}, 0);
  INSERT INTO pets (name, category_id, status, created_at, created_by) VALUES ('a', 7, 'available', 1, 1), ('b', 7, 'available', 2, 1);
  INSERT INTO orders (pet_id, status, placed_at, changed_at) VALUES (1, 'returned', 11, 13), (2, 'cancelled', 14, 15);
  INSERT INTO order_transitions (order_id, status, at, key_id)
  VALUES (1, 'pending', 11, 1), (1, 'completed', 12, 1), (1, 'returned', 13, 1), (2, 'pending', 14, 1), (2, 'cancelled', 15, NULL)`
