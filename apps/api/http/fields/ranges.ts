import { applyDecorators } from '@nestjs/common';
import { addSeconds, instantFromMillis, instantToMillis, parseInstantOrDate } from '#libs/kernel/core';
import { FormerName } from '../parameter-names.js';
import { InstantField, readQueryMoment } from './instants.js';

/*
 * The two query parameters of every range of time: `since` and `until`. Both moments are in the range. Former names are read, and their end
 * is the first moment after the range.
 */

const MILLISECOND = 0.001;
const DAY_MILLIS = 86_400_000;

interface RangeOptions {
  readonly description: string;
  /** A date without a time stays a date. See {@link InstantField}. */
  readonly dates?: boolean;
  /** The former name of the parameter. */
  readonly formerly?: string;
  /** The API contract has the former name, so the OpenAPI document has it too. */
  readonly inContract?: boolean;
}

/** The parameter `since`: the first moment of a range of time. */
export function SinceField({ formerly, inContract, ...options }: RangeOptions): PropertyDecorator {
  const described = describedInContract('since', options.description);
  return applyDecorators(
    InstantField({ query: true, optional: true, ...options }),
    ...(formerly ? [FormerName(formerly, inContract ? { documented: described } : {})] : []),
  );
}

/** The parameter `until`: the last moment of a range of time that begins with `since`. */
export function UntilField({ formerly, inContract, ...options }: RangeOptions): PropertyDecorator {
  const convert = (to: string): string => lastMomentBefore(to, options.dates);
  const documented = describedInContract('until', 'The first moment after the range.');
  return applyDecorators(
    InstantField({
      query: true,
      optional: true,
      notBefore: 'since',
      example: '2026-02-28T00:00:00Z',
      ...options,
    }),
    ...(formerly ? [FormerName(formerly, inContract ? { convert, documented } : { convert })] : []),
  );
}

function describedInContract(name: string, description: string) {
  return {
    type: String,
    format: 'date-time',
    example: '2026-01-31T00:00:00Z',
    description: `${description} In place of \`${name}\`.`,
  };
}

/** Returns the last moment of a range that ends before `to`. Text that is no moment is returned as it is. */
function lastMomentBefore(to: string, dates = false): string {
  const moment = readQueryMoment(to, parseInstantOrDate);
  if (moment === undefined) return to;
  if (isDate(moment))
    return dates ? dayAfter(moment, -1) : addSeconds(`${moment}T00:00:00.000Z`, -MILLISECOND);
  return addSeconds(moment, -MILLISECOND);
}

function isDate(moment: string): boolean {
  return moment.length === '2026-01-31'.length;
}

function dayAfter(date: string, days: number): string {
  return instantFromMillis(instantToMillis(`${date}T00:00:00.000Z`) + days * DAY_MILLIS).slice(0, 10);
}
