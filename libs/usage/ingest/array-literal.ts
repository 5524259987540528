/**
 * Builds Postgres array literals as strings. node-postgres builds them too, but calls several functions for each value. For a batch of
 * events, that takes more time than reading the request.
 */
export class ArrayLiteral {
  private text = '';

  /** Adds a string, which can contain any character. */
  add(value: string): void {
    this.text += NEEDS_ESCAPE.test(value) ? `,"${value.replace(ESCAPED, '\\$&')}"` : `,"${value}"`;
  }

  addNull(): void {
    this.text += ',NULL';
  }

  toString(): string {
    return `{${this.text.slice(1)}}`;
  }
}

const NEEDS_ESCAPE = /["\\]/;
const ESCAPED = /["\\]/g;
