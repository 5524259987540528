/**
 * SQL that fills the tables that a backup has. There is usage of an earlier month, and there are tasks of a clock that stands. The
 * values include each kind that text could lose.
 */
export const rowsRecordedAt = (recordedAt: string): string => `
  INSERT INTO identity.users VALUES ('usr_1', 'acc_1', 'a@example.com', E'tab\\t line\\n back\\\\slash \\u00e9', 'hash', 'admin', 'active', '2026-01-01T00:00:00.123456Z');
  INSERT INTO identity.sessions VALUES ('ses_1', 'usr_1', now(), now(), NULL, NULL);
  INSERT INTO identity.outbox (category, aggregate_id, context, command) VALUES ('user', 'usr_1', '{"a":1.10}', '{}');
  INSERT INTO vault.keys VALUES ('customer acc_1 c_1', '\\x00ff0a5c', now(), NULL), ('erased', NULL, now(), now());
  INSERT INTO workspaces.clocks VALUES ('acc_1', 'sandbox', '2020-01-01T00:00:00Z', true);
  INSERT INTO saga.tasks (id, process, name, workspace_id, payload, due_at, clock, event_id, correlation_id)
    VALUES ('task_1', 'p', 'n', 'acc_1', '{}', '2030-01-01T00:00:00Z', 'workspace', 'e', 'c'),
           ('task_2', 'p', 'n', 'acc_1', '{}', '2019-01-01T00:00:00Z', 'workspace', 'e', 'c');
  INSERT INTO usage.streams (workspace_id, event_name) VALUES ('acc_1', 'call');
  INSERT INTO usage.events SELECT nextval('usage.event_seq'), 1, 1, '2024-02-03T00:00:00Z', 'evt_1', NULL, '{"n": 0.10}', 1, ${recordedAt};
  SELECT nextval('usage.event_seq'), nextval('usage.event_seq');`;

/** The same with a partition for the usage, which the migrations do not make for a month in the past. */
export const ROWS = `
  CREATE TABLE usage.events_2024_02 PARTITION OF usage.events FOR VALUES FROM ('2024-02-01T00:00:00Z') TO ('2024-03-01T00:00:00Z');
  ${rowsRecordedAt("'2024-02-03T00:00:00Z'")}`;
