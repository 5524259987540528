/**
 * Builds Postgres array literals as strings. The node-postgres library also builds array literals, but calls several functions for each
 * value. For a batch of events, the conversion by node-postgres takes more time than reading the request.
 */
export class ArrayLiteralBuilder {
  private text = '';

  /** Adds a string to the array. The string can contain any character. */
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
