import { DefaultNamingStrategy, type NamingStrategyInterface } from 'typeorm';

/** camelCase properties are snake_case columns, so that SQL written by hand needs no quotes. */
export class SnakeCaseNames extends DefaultNamingStrategy implements NamingStrategyInterface {
  override columnName(property: string, customName: string | undefined, prefixes: string[]): string {
    return [...prefixes, customName ?? property].map(snakeCase).join('_');
  }
}

/** `createdAt` as `created_at`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
