import type { MigrationInterface } from 'typeorm';

/** The right to read rows of a table, in {@link TableRights}. */
export const READ = 'SELECT';
/** The right to read and add rows. */
export const ADD = 'SELECT, INSERT';
/** The right to read, add, change and delete rows. */
export const CHANGE = 'SELECT, INSERT, UPDATE, DELETE';
/** No right on a table. */
export const NO_RIGHT = '';

/** The rights of a program on the tables of a schema, by table name; `*` stands for all other tables. */
export type TableRights = Readonly<Record<string, string>>;

/** The tables of a context that are neither streams nor read models, and the rights of the programs on them, by schema. */
export interface Tables {
  readonly migrations: readonly (new () => MigrationInterface)[];
  readonly rights: {
    /** The API and the saga. */
    readonly app?: Readonly<Record<string, TableRights>>;
    readonly projector?: Readonly<Record<string, TableRights>>;
  };
}
