import type { ArchivePart } from './archive-writer.js';

/** The version of the backup format. A program reads this version and all earlier ones. */
export const BACKUP_FORMAT = 1;
export const MANIFEST_FILE = 'manifest.json';
export const MANIFEST_CHECKSUM_FILE = 'manifest.json.sha256';
export const SECRETS_FILE = 'secrets.json';
export const tableFileName = (table: string): string => `tables/${table}.gz`;

/**
 * A table of a backup. The file named by {@link tableFileName} has the table's rows in the text format of Postgres's COPY, compressed with
 * gzip.
 */
export interface BackupTable extends ArchivePart {
  /** The table's name with its schema, such as `identity.users`. */
  readonly name: string;
  readonly columns: readonly string[];
  /** The number of rows. */
  readonly rows: number;
}

/** A partition of a table that is partitioned by time. The partition has the rows from `from` up to, but not including, `to`. */
export interface TablePartition {
  readonly table: string;
  readonly name: string;
  readonly from: string;
  readonly to: string;
}

/** The current value of a Postgres sequence. */
export interface SequenceState {
  readonly name: string;
  readonly lastValue: string;
  /** Tells whether the sequence has already given out `lastValue`. */
  readonly isCalled: boolean;
}

/**
 * The location of the event log, and the position of its last event. The log is either in the database or in an external event store. The
 * `head` of an empty log is 0 in the database, and -1 in an external event store.
 */
export type BackupLogState =
  { readonly in: 'database'; readonly head: string } | { readonly in: 'event store'; readonly head: string };

/** The list of contents of a backup. The manifest is written after all data, so a backup without a manifest was never finished. */
export interface BackupManifest {
  readonly format: number;
  /** The version of the program that made the backup. */
  readonly version: string;
  /** The fingerprint of the build that made the backup. */
  readonly build: string;
  /** The backup has all data that was acknowledged before this instant, except events in an external event store. */
  readonly startedAt: string;
  readonly postgresVersion: string;
  /** The names of the database migrations that had run before the backup. */
  readonly migrations: readonly string[];
  /** The numbers of the event log's own migrations that had run before the backup. */
  readonly logMigrations: readonly number[];
  readonly log: BackupLogState;
  readonly partitions: readonly TablePartition[];
  readonly sequences: readonly SequenceState[];
  readonly tables: readonly BackupTable[];
  /** The file with the key that signs access tokens; undefined if JWT_SECRET was set, or if DATA_DIR had no key. */
  readonly secrets?: ArchivePart;
}
