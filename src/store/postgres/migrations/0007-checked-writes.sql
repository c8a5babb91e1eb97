-- What a write asks once more inside its transaction.

SELECT 1;
