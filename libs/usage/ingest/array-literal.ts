/**
 * Postgres array literals, built as text. node-postgres builds them too, but a value at a time through several
 * calls, which for a batch of events costs more than reading the request.
 */
export class ArrayLiteral {
  private text = '';

  /** Adds a text that may have any character. */
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
