import {
  ExactNumber,
  isCurrency,
  parseDecimal,
  decimalString,
  type DecimalString,
  type FieldError,
} from '#libs/core';

/** Most digits on either side of the point: a product with a quantity of 30 digits is then still exact. */
const MAX_DIGITS = 15;

/**
 * Reads a price's `config` field by field and notes what is wrong with each. A value that is wrong is read as a
 * harmless one, so that one pass finds every error; a config may only be used if {@link errors} stays empty.
 */
export class ConfigReader {
  private readonly wrong: FieldError[] = [];
  private readonly known = new Set(['model']);

  constructor(private readonly input: Readonly<Record<string, unknown>>) {}

  /** A required amount of money or price per unit: a decimal number, not negative. */
  amount(field: string): DecimalString {
    const value = this.take(field);
    if (typeof value !== 'number' && !(value instanceof ExactNumber)) {
      this.refuse(field, value === undefined ? 'is required: a decimal number' : 'must be a number');
      return '0';
    }
    const decimal = parseDecimal(value instanceof ExactNumber ? value.text : value);
    if (decimal === undefined || (decimal.isNegative() && !decimal.isZero())) {
      this.refuse(field, 'must be a number that is not negative');
      return '0';
    }
    if (decimal.decimalPlaces() > MAX_DIGITS || decimal.gte(`1e${MAX_DIGITS}`)) {
      this.refuse(
        field,
        `must have at most ${MAX_DIGITS} digits before and ${MAX_DIGITS} after the decimal point`,
      );
      return '0';
    }
    return decimalString(decimal.abs());
  }

  /** The required currency: a three-letter ISO 4217 code, upper case. */
  currency(): string {
    const value = this.take('currency');
    if (typeof value === 'string' && isCurrency(value)) return value;
    this.refuse(
      'currency',
      value === undefined
        ? 'is required: a three-letter ISO 4217 code such as "USD"'
        : 'must be a three-letter ISO 4217 code in upper case, such as "USD"',
    );
    return 'USD';
  }

  /** What was wrong, with every field that nobody asked for. */
  errors(): FieldError[] {
    const unknown = Object.keys(this.input)
      .filter((field) => !this.known.has(field))
      .map((field) => ({ field: `config.${field}`, message: 'is not a field of this pricing model' }));
    return [...this.wrong, ...unknown];
  }

  private take(field: string): unknown {
    this.known.add(field);
    return Object.hasOwn(this.input, field) ? this.input[field] : undefined;
  }

  private refuse(field: string, message: string): void {
    this.wrong.push({ field: `config.${field}`, message });
  }
}
