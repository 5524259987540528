import { omit } from '#libs/kernel/core';
import type { NewInvoice, InvoiceDetails } from '#libs/contexts/invoicing';
import type { InvoiceLine } from '#libs/rating';
import { fieldDifferences, valueText } from './difference.js';

/** Returns the differences between an issued invoice and the same invoice computed again. */
export function invoiceProblems(issued: InvoiceDetails, computed: NewInvoice): string[] {
  const { lines, readings, ...rest } = computed;
  const names = Object.keys(rest) as (keyof typeof rest)[];
  const found = Object.fromEntries(names.map((name) => [name, issued[name]]));
  return [
    ...linesProblems(issued.lines, lines),
    ...problemsBetween(found, rest),
    // Older invoices have their meter readings only on the lines.
    ...(issued.readings ? problemsBetween({ readings: issued.readings }, { readings }) : []),
  ];
}

/** Compares lines by their ids. A line's id derives from the item that the line charges for. */
function linesProblems(issued: readonly InvoiceLine[], computed: readonly InvoiceLine[]): string[] {
  const expected = new Map(computed.map((line) => [line.id, line]));
  const problems = issued.flatMap((line) => {
    const must = expected.get(line.id);
    expected.delete(line.id);
    if (!must) return [`${nameOf(line)} of ${line.amount} was issued, but no charge leads to it`];
    return problemsBetween(line, hasDimensions(line) ? must : withoutDimensions(must)).map(
      (problem) => `${nameOf(must)}: ${problem}`,
    );
  });
  for (const line of expected.values()) problems.push(`${nameOf(line)} of ${line.amount} was left out`);
  return problems;
}

/** Tells whether a line has `dimensions`, the properties by which its usage is grouped. Lines of older invoices do not have them. */
function hasDimensions({ dimensions, late }: InvoiceLine): boolean {
  return dimensions !== undefined || (late?.quantities ?? []).some((one) => one.dimensions !== undefined);
}

function withoutDimensions(line: InvoiceLine): InvoiceLine {
  const { late } = line;
  const plain = omit(line, ['dimensions']);
  if (!late) return plain;
  const quantities = late.quantities.map((quantity) => omit(quantity, ['dimensions']));
  return { ...plain, late: { ...late, quantities } };
}

function problemsBetween(issued: object, computed: object): string[] {
  return fieldDifferences(computed, issued).map(
    ({ path, expected, found }) =>
      `${path} ${valueText(found)} was issued, but ${valueText(expected)} was computed`,
  );
}

function nameOf({ description }: InvoiceLine): string {
  return `line ${JSON.stringify(description)}`;
}
