import { DefaultNamingStrategy, type NamingStrategyInterface } from 'typeorm';

/** Names columns in snake_case for camelCase properties, so that hand-written SQL needs no quotes. */
export class SnakeCaseNames extends DefaultNamingStrategy implements NamingStrategyInterface {
  override columnName(property: string, customName: string | undefined, prefixes: string[]): string {
    return [...prefixes, customName ?? property].map(snakeCase).join('_');
  }
}

/** Converts `createdAt` to `created_at`. */
function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
