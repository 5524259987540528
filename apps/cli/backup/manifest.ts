import type { Part } from './archive-writer.js';

/** The form of a backup. A program reads this form and all before it. */
export const FORMAT = 1;
export const MANIFEST = 'manifest.json';
export const MANIFEST_CHECKSUM = 'manifest.json.sha256';
export const SECRETS = 'secrets.json';
export const partOf = (table: string): string => `tables/${table}.gz`;

/** A table of a backup: its rows are in the file {@link partOf} names, as Postgres's COPY writes them as text, with gzip. */
export interface TablePart extends Part {
  /** With its schema: `identity.users`. */
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: number;
}

/** A partition of a table by time, which has the rows from one moment to before another. */
export interface Partition {
  readonly table: string;
  readonly name: string;
  readonly from: string;
  readonly to: string;
}

/** What a sequence has come to. */
export interface SequenceState {
  readonly name: string;
  readonly lastValue: string;
  readonly isCalled: boolean;
}

/** Where the event log is, among the tables or in an event store of its own, and the position of its last event. */
export type LogState =
  { readonly in: 'database'; readonly head: string } | { readonly in: 'event store'; readonly head: string };

/** What a backup holds. It is the last of its files, so a backup without it was never finished. */
export interface Manifest {
  readonly format: number;
  /** Of the program that made it. */
  readonly version: string;
  /** The same for all backups of one build. */
  readonly build: string;
  /** Everything that was acknowledged before this moment is in it. */
  readonly startedAt: string;
  readonly postgresVersion: string;
  /** Names of the migrations that had run. */
  readonly migrations: readonly string[];
  /** Numbers of those of the event log. */
  readonly logMigrations: readonly number[];
  readonly log: LogState;
  readonly partitions: readonly Partition[];
  readonly sequences: readonly SequenceState[];
  readonly tables: readonly TablePart[];
  /** The key that signs access tokens; undefined if it was a setting. */
  readonly secrets?: Part;
}
