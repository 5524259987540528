/** Statements that remove rows of a table, or the protection of the table. */
export const damage = (table: string): string[] => [
  `DELETE FROM ${table}`,
  `TRUNCATE ${table}`,
  `DROP TABLE ${table}`,
  `ALTER TABLE ${table} DISABLE TRIGGER ALL`,
  `ALTER TABLE ${table} OWNER TO CURRENT_USER`,
];
export const changesOfEvents = [...damage('eventstore.events'), 'UPDATE eventstore.events SET type = type'];
export const changesOfUsage = [
  ...damage('usage.events'),
  'UPDATE usage.events SET properties = properties',
  ...damage('usage.keys'),
];
export const changesOfReadModels = [
  ...['read.audit', 'read.ledger_postings'].flatMap(damage),
  'UPDATE read.audit SET workspace_id = workspace_id',
  'INSERT INTO read.audit SELECT * FROM read.audit',
  'UPDATE read.ledger_postings SET workspace_id = workspace_id',
  'DROP SCHEMA read CASCADE',
  'CREATE TABLE read.audit_of_mine AS SELECT 1 AS one',
];
/** Statements that give a role more rights, or reach beyond the database. */
export const escapes = [
  'ALTER ROLE CURRENT_USER SUPERUSER',
  'ALTER ROLE CURRENT_USER BYPASSRLS',
  'CREATE ROLE somebody SUPERUSER',
  'SET ROLE countinghouse',
  'SET ROLE pg_write_all_data',
  'SET SESSION AUTHORIZATION countinghouse',
  'GRANT pg_write_all_data TO CURRENT_USER',
  `COPY (SELECT 1) TO PROGRAM 'true'`,
  `SELECT pg_read_file('PG_VERSION')`,
  'CREATE SCHEMA mine',
  'CREATE TABLE public.mine (one int)',
  `SET session_replication_role = 'replica'`,
];
