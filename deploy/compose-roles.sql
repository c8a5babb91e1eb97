-- Creates the roles and the database of docs/postgresql.md when compose.yaml starts for the first time. The passwords come from the addresses
-- in the secrets `owner` and `database`.
\set owner `sed 's/.*:\(.*\)@.*/\1/' /run/secrets/owner`
\set server `sed 's/.*:\(.*\)@.*/\1/' /run/secrets/database`
CREATE ROLE petstore_owner LOGIN PASSWORD :'owner';
CREATE ROLE petstore LOGIN PASSWORD :'server' CONNECTION LIMIT 60;
CREATE DATABASE petstore OWNER petstore_owner ENCODING 'UTF8' TEMPLATE template0;
REVOKE ALL ON DATABASE petstore FROM PUBLIC;
GRANT CONNECT ON DATABASE petstore TO petstore;
