import type { MigrationInterface } from 'typeorm';

export const READ = 'SELECT';
export const ADD = 'SELECT, INSERT';
export const CHANGE = 'SELECT, INSERT, UPDATE, DELETE';
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
