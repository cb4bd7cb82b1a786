#!/bin/bash
# Run by the image of PostgreSQL when it makes the database, and never again: the role of Kedja owns its database and
# nothing else. After that the superuser has no password, and signs in from within this container alone.
# The image has read POSTGRES_PASSWORD_FILE as root; this runs as postgres.
set -e
psql --no-psqlrc --quiet --username=postgres --set=ON_ERROR_STOP=1 --set=password="${POSTGRES_PASSWORD:?}" <<'SQL'
CREATE ROLE kedja LOGIN PASSWORD :'password';
CREATE DATABASE kedja OWNER kedja;
ALTER ROLE postgres PASSWORD NULL;
SQL
