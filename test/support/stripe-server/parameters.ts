import { instantToMillis } from '#libs/kernel/core';
import { systemClock } from '#libs/kernel/system';

/** A parameter of Stripe's API: text, a number, true or false, a list, or an object. Numbers and flags arrive as text. */
export type Parameter = string | Parameter[] | { [name: string]: Parameter };
export type Parameters = Record<string, Parameter>;

/** An error as Stripe answers it (docs.stripe.com/api/errors). */
export class StripeError extends Error {
  constructor(
    readonly status: number,
    readonly error: { type: string; code?: string; message: string } & Record<string, unknown>,
  ) {
    super(error.message);
  }
}

/** Reads a form or a query in which brackets make objects and lists, such as `metadata[invoice]=inv_1&payment_method_types[0]=card`. */
export function readParameters(text: string): Parameters {
  const root: Parameters = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const path = [...name.matchAll(/[^[\]]+/g)].map(([part]) => part);
    let place: Record<string, Parameter> = root;
    for (const part of path.slice(0, -1)) place = (place[part] ??= {}) as Record<string, Parameter>;
    place[path.at(-1)!] = value;
  }
  return root;
}

/** What an operation takes. A name that ends with `!` is required. `metadata` and `expand` are taken everywhere. */
export type Takes = readonly string[];

/** Refuses parameters that the operation does not have, and missing ones, with Stripe's errors. */
export function checkParameters(given: Parameters, takes: Takes): void {
  const known = new Set([...takes.map((name) => name.replace('!', '')), 'metadata', 'expand']);
  for (const name of Object.keys(given))
    if (!known.has(name))
      throw new StripeError(400, {
        type: 'invalid_request_error',
        code: 'parameter_unknown',
        param: name,
        message: `Received unknown parameter: ${name}`,
      });
  for (const name of takes.filter((one) => one.endsWith('!')).map((one) => one.slice(0, -1)))
    if (given[name] === undefined || given[name] === '')
      throw new StripeError(400, {
        type: 'invalid_request_error',
        code: 'parameter_missing',
        param: name,
        message: `Missing required param: ${name}.`,
      });
}

export function textOf(value: Parameter | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A whole number of at least `least`. Refuses others as Stripe does. */
export function integerOf(value: Parameter | undefined, name: string, least = 1): number {
  const number = Number(textOf(value));
  if (!Number.isSafeInteger(number) || number < least)
    throw new StripeError(400, {
      type: 'invalid_request_error',
      code: 'parameter_invalid_integer',
      param: name,
      message: `Invalid integer: ${textOf(value) ?? ''}`,
    });
  return number;
}

export function missing(kind: string, id: string): StripeError {
  return new StripeError(404, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    message: `No such ${kind}: '${id}'`,
  });
}

/** The time by the machine's clock, in seconds, as Stripe has it. */
export function machineSeconds(): number {
  return Math.floor(instantToMillis(systemClock.now()) / 1_000);
}
