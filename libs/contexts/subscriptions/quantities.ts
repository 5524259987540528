import {
  decimalString,
  InvalidRequest,
  decimalFromJson,
  type DecimalString,
  type FieldError,
  wrongValue,
} from '#libs/kernel/core';
import type { PriceSnapshot } from '#libs/rating';

/** The units of fees, by price id. */
export type Quantities = Readonly<Record<string, DecimalString>>;

const MAX_QUANTITIES = 100;
const MAX_DIGITS = 15;

/** The limits of quantities. The API document quotes them. */
export const QUANTITY_LIMITS = { priceCount: MAX_QUANTITIES, quantityBelow: 10 ** MAX_DIGITS } as const;

/**
 * Reads `quantities` from a parsed request body: a list of `{priceId, quantity}` with at most one element for each price. Throws
 * InvalidRequest; the error names every invalid element.
 */
export function readQuantities(input: unknown): Quantities {
  if (!Array.isArray(input) || input.length > MAX_QUANTITIES)
    throw refused([
      {
        field: 'quantities',
        message: `must be a list of at most ${MAX_QUANTITIES} {"priceId": "…", "quantity": 5}`,
      },
    ]);
  const errors: FieldError[] = [];
  const read = new Map<string, DecimalString>();
  input.forEach((element: unknown, i) => {
    const field = `quantities[${i}]`;
    const { priceId, quantity, ...others } = Object(element) as Record<string, unknown>;
    const units = readUnits(quantity);
    if (typeof priceId !== 'string' || Object.keys(others).length > 0)
      errors.push({ field, message: 'must be an object with only priceId and quantity' });
    else if (read.has(priceId)) errors.push({ field, message: `must not repeat the price "${priceId}"` });
    else if (units === undefined)
      errors.push({
        field: `${field}.quantity`,
        message: wrongValue(
          quantity,
          `must be a number that is not negative, with at most ${MAX_DIGITS} digits on either side of the point`,
        ),
      });
    else read.set(priceId, units);
  });
  if (errors.length > 0) throw refused(errors);
  return Object.fromEntries(read);
}

/** Refuses a quantity if its price is not in `prices`, is metered, or is flat. */
export function checkQuantities(quantities: Quantities, prices: readonly PriceSnapshot[]): void {
  const errors = Object.keys(quantities).flatMap((priceId) => {
    const price = prices.find((one) => one.priceId === priceId);
    if (price && price.metricId === null && price.config.model !== 'flat') return [];
    const message = price
      ? `must not name "${priceId}", which is metered or flat; only a price per unit has units`
      : `must name prices of the plan; "${priceId}" is not one of them`;
    return [{ field: 'quantities', message }];
  });
  if (errors.length > 0) throw refused(errors);
}

function readUnits(value: unknown): DecimalString | undefined {
  const decimal = decimalFromJson(value);
  if (!decimal || decimal.isNegative() || decimal.gte(`1e${MAX_DIGITS}`)) return undefined;
  return decimal.decimalPlaces() > MAX_DIGITS ? undefined : decimalString(decimal);
}

function refused(errors: FieldError[]): InvalidRequest {
  const message = errors.map((error) => `${error.field} ${error.message}`).join('; ');
  return new InvalidRequest('validation_failed', message, errors);
}
