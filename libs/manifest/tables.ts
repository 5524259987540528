import type { MigrationInterface } from 'typeorm';

export const READ = 'SELECT';
export const ADD = 'SELECT, INSERT';
export const CHANGE = 'SELECT, INSERT, UPDATE, DELETE';
export const NO_RIGHT = '';

/** What a program may do to the tables of a schema: to each that is named, and to all others by `*`. */
export type TableRights = Readonly<Record<string, string>>;

/** Tables that a context keeps beside its streams, and what the programs may do to them, by schema. */
export interface Tables {
  readonly migrations: readonly (new () => MigrationInterface)[];
  readonly rights: {
    /** The API and the saga. */
    readonly app?: Readonly<Record<string, TableRights>>;
    readonly projector?: Readonly<Record<string, TableRights>>;
  };
}
