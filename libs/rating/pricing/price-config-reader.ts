import {
  Decimal,
  ExactNumber,
  isObject,
  fractionalUnitError,
  isCurrency,
  isStorable,
  decimalFromJson,
  decimalString,
  type DecimalString,
  type FieldError,
} from '#libs/kernel/core';

/**
 * The maximum number of digits of a price, both before and after the decimal point. The product of such a price and a quantity of 30 digits
 * is still exact.
 */
export const MAX_PRICE_DIGITS_PER_SIDE = 15;
/** The maximum number of characters of a text in a price config. */
export const MAX_PRICE_CONFIG_TEXT_LENGTH = 255;

/**
 * Reads a price's `config` field by field, and collects the error of each field. A wrong value is replaced by a harmless one, so that all
 * errors are found at once. The config must not be used unless {@link errors} is empty. An optional field can be absent or null.
 */
export class PriceConfigReader {
  private readonly wrong: FieldError[] = [];
  private readonly known = new Set<string>();
  private readonly elements: PriceConfigReader[] = [];

  constructor(
    private readonly input: Readonly<Record<string, unknown>>,
    private readonly path = 'config',
  ) {}

  /** Reads a required amount of money or price per unit: a decimal number that is not negative. */
  amount(field: string): DecimalString {
    const value = this.rawValue(field);
    if (value === undefined) {
      this.addError(field, 'is required: a decimal number');
      return '0';
    }
    return this.decimal(field, value);
  }

  /** Reads optional amounts by the same rules as {@link amount}. */
  optionalAmounts<Name extends string>(...fields: Name[]): { [field in Name]?: DecimalString } {
    const given = fields.map((field) => [field, this.rawValue(field)] as const);
    return Object.fromEntries(
      given.flatMap(([field, value]) =>
        value === undefined || value === null ? [] : [[field, this.decimal(field, value)]],
      ),
    ) as { [field in Name]?: DecimalString };
  }

  /** Reads a required decimal number above 0. */
  positiveAmount(field: string): DecimalString {
    const value = this.amount(field);
    if (this.hasNoError(field) && value === '0') this.addError(field, 'must be above 0');
    return value;
  }

  /** Reads a non-negative whole number; undefined if the field is absent. */
  optionalCount(field: string): number | undefined {
    const value = this.rawValue(field) ?? undefined;
    if (value === undefined) return undefined;
    if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
    this.addError(field, 'must be a whole number that is not negative');
    return 0;
  }

  /** Reads a boolean field. An absent field is false. */
  flag(field: string): boolean {
    const value = this.rawValue(field) ?? false;
    if (typeof value !== 'boolean') this.addError(field, 'must be true or false');
    return value === true;
  }

  /** Reads the required upper bound of a tier. The bound of a tier is above 0, or null for the last tier, which has no upper bound. */
  tierBound(field: string): DecimalString | null {
    const value = this.rawValue(field);
    if (value === null) return null;
    if (value === undefined) {
      this.addError(field, 'is required: the last unit of the tier, or null for the open last tier');
      return null;
    }
    const bound = this.decimal(field, value);
    if (this.hasNoError(field) && bound === '0') this.addError(field, 'must be above 0');
    return bound;
  }

  /** Reads a required list of `min` to `max` objects. Each object of the list gets its own reader. */
  list(field: string, min: number, max: number): PriceConfigReader[] {
    const value = this.rawValue(field);
    if (!Array.isArray(value) || value.length < min || value.length > max) {
      const expected = `a list of ${min} to ${max} objects`;
      this.addError(field, value === undefined ? `is required: ${expected}` : `must be ${expected}`);
      return [];
    }
    return value.flatMap((element: unknown, i) => {
      if (!isObject(element)) {
        this.addError(`${field}[${i}]`, 'must be an object');
        return [];
      }
      const reader = new PriceConfigReader(element, `${this.path}.${field}[${i}]`);
      this.elements.push(reader);
      return [reader];
    });
  }

  /** Reads a required list of `min` to `max` texts. A number or boolean in the list becomes a text. */
  texts(field: string, min: number, max: number): string[] {
    const value = this.rawValue(field);
    if (Array.isArray(value) && value.length >= min && value.length <= max) {
      const texts = value.map(textOf);
      if (texts.every((text) => text !== undefined)) return texts;
    }
    const count = min === max ? `${min}` : `${min} to ${max}`;
    const expected = `a list of ${count} text${max === 1 ? '' : 's'} of 1 to ${MAX_PRICE_CONFIG_TEXT_LENGTH} characters`;
    this.addError(field, value === undefined ? `is required: ${expected}` : `must be ${expected}`);
    return [];
  }

  /** Reads the required currency: a three-letter ISO 4217 code in upper case. */
  currency(): string {
    const value = this.rawValue('currency');
    if (typeof value === 'string' && isCurrency(value)) return value;
    this.addError(
      'currency',
      value === undefined
        ? 'is required: a three-letter ISO 4217 code such as "USD"'
        : 'must be a three-letter ISO 4217 code in upper case, such as "USD"',
    );
    return 'USD';
  }

  /** Adds an error if the second of two amounts is smaller than the first. */
  checkOrder(config: Readonly<Record<string, unknown>>, lower: string, upper: string): void {
    const [least, most] = [config[lower], config[upper]] as (DecimalString | undefined)[];
    if (least !== undefined && most !== undefined && new Decimal(least).gt(most))
      this.addError(upper, `must not be below ${lower}`);
  }

  /** Adds an error for each amount with fractions of the currency's smallest unit. */
  checkWholeMinorUnits(
    config: Readonly<Record<string, unknown>>,
    currency: string,
    ...fields: string[]
  ): void {
    for (const field of fields) {
      const amount = config[field] as DecimalString | undefined;
      const problem = amount === undefined ? undefined : fractionalUnitError(amount, currency);
      if (problem !== undefined) this.addError(field, problem);
    }
  }

  /** Adds an error for a field. */
  addError(field: string, message: string): void {
    this.wrong.push({ field: `${this.path}.${field}`, message });
  }

  /** Tells whether no error has been added for a field so far. */
  hasNoError(field: string): boolean {
    return !this.wrong.some((error) => error.field === `${this.path}.${field}`);
  }

  /** Returns all errors, including an error for every unknown field. */
  errors(): FieldError[] {
    const unknown = Object.keys(this.input)
      .filter((field) => !this.known.has(field))
      .map((field) => ({ field: `${this.path}.${field}`, message: 'is not a field of this pricing model' }));
    return [...this.wrong, ...unknown, ...this.elements.flatMap((element) => element.errors())];
  }

  /** Returns the raw value of a field, and marks the field as known. Undefined if the field is absent. */
  rawValue(field: string): unknown {
    this.known.add(field);
    return Object.hasOwn(this.input, field) ? this.input[field] : undefined;
  }

  private decimal(field: string, value: unknown): DecimalString {
    if (typeof value !== 'number' && !(value instanceof ExactNumber)) {
      this.addError(field, 'must be a number');
      return '0';
    }
    const decimal = decimalFromJson(value);
    if (decimal === undefined || (decimal.isNegative() && !decimal.isZero())) {
      this.addError(field, 'must be a number that is not negative');
      return '0';
    }
    if (
      decimal.decimalPlaces() > MAX_PRICE_DIGITS_PER_SIDE ||
      decimal.gte(`1e${MAX_PRICE_DIGITS_PER_SIDE}`)
    ) {
      this.addError(
        field,
        `must have at most ${MAX_PRICE_DIGITS_PER_SIDE} digits before and ${MAX_PRICE_DIGITS_PER_SIDE} after the decimal point`,
      );
      return '0';
    }
    return decimalString(decimal.abs());
  }
}

/** Returns a string unchanged, and a number or boolean as the string by which usage is grouped. For example, 1.0 becomes "1". */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return decimalString(new Decimal(value));
  if (typeof value !== 'string') return undefined;
  return value !== '' && value.length <= MAX_PRICE_CONFIG_TEXT_LENGTH && isStorable(value)
    ? value
    : undefined;
}
