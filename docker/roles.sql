-- Lets the programs log in to Postgres, each with its own role (docs/database-roles.md), and sets their passwords. Runs at each start.
\getenv app APP_DATABASE_PASSWORD
\getenv projector PROJECTOR_DATABASE_PASSWORD

SELECT format('CREATE ROLE %I', name)
FROM (VALUES ('countinghouse_app'), ('countinghouse_projector')) AS wanted (name)
WHERE to_regrole(name) IS NULL
\gexec

ALTER ROLE countinghouse_app LOGIN PASSWORD :'app';
ALTER ROLE countinghouse_projector LOGIN PASSWORD :'projector';
