import { Injectable } from '@nestjs/common';
import { Decimal, InvalidRequest, sumOf } from '#libs/core';
import type { CreditRequest, InvoiceLine } from '#libs/rating';
import type { Invoice } from './invoice.js';
import { partsOf } from './invoice-parts.js';
import { LateCredits } from './late-credits.js';

/** An invoice with the ids of those of its lines that something was given back of, elsewhere than by a credit note. */
export interface GivenBack {
  readonly invoice: Pick<Invoice, 'lines' | 'creditNotes'>;
  readonly lineIds: ReadonlySet<string>;
}

/** How many lines an error names. */
const MOST_NAMED = 10;

/**
 * Tells what of an invoice was given back on a later one without a record of that on the invoice itself: a credit note, or a void, would
 * give it back once more. What is recorded there (`givenBack`) counts by its amount: see `linesLeft`.
 */
@Injectable()
export class GivenBackLines {
  constructor(private readonly late: LateCredits) {}

  /** The ids of the invoice's lines of which something was given back for late usage. */
  async of(accountId: string, invoice: Invoice): Promise<GivenBack> {
    const lineIds = new Set<string>();
    for (const part of partsOf(invoice)) {
      for (const id of await this.late.linesOf(accountId, part)) lineIds.add(id);
    }
    for (const { lineId } of invoice.givenBack.flatMap(({ lines }) => lines)) lineIds.delete(lineId);
    return { invoice, lineIds };
  }
}

/** Refuses to credit what was given back already, by itself or within an amount of the whole: InvalidRequest (`invoice_given_back`). */
export function requireOtherLines(credit: CreditRequest | null, { invoice, lineIds }: GivenBack): void {
  if (lineIds.size === 0) return;
  if (credit?.lines !== undefined && !credit.lines.some(({ id }) => lineIds.has(id))) return;
  const others = creditable({ invoice, lineIds });
  throw refused(
    others.length === 0
      ? 'Nothing else of it can be credited'
      : `Name in lines what of the others is to be credited: ${named(others)}`,
  );
}

/** Refuses to void an invoice of which something was given back already: InvalidRequest (`invoice_given_back`). */
export function requireNothingGivenBack({ invoice, lineIds }: GivenBack): void {
  if (lineIds.size === 0) return;
  const others = creditable({ invoice, lineIds });
  throw refused(
    others.length === 0
      ? 'It cannot be voided, and nothing else of it can be credited; mark it uncollectible if it will not be paid'
      : `It cannot be voided; once it is open, a credit note over its other lines takes them off: ${named(others)}`,
  );
}

function refused(remedy: string): InvalidRequest {
  return new InvalidRequest(
    'invoice_given_back',
    'A part of what the invoice charges has been given back already, after a change of the subscription or on a later invoice. ' +
      remedy,
  );
}

/** The lines that a credit note can still be over. */
function creditable({ invoice: { lines, creditNotes }, lineIds }: GivenBack): InvoiceLine[] {
  const credited = (id: string) =>
    sumOf(
      creditNotes.flatMap((note) => note.lines.filter((line) => line.id === id).map((line) => line.amount)),
    );
  return lines.filter(({ id, amount }) => !lineIds.has(id) && new Decimal(amount).minus(credited(id)).gt(0));
}

function named(lines: readonly InvoiceLine[]): string {
  const names = lines.slice(0, MOST_NAMED).map(({ id, description }) => `${id} (${description})`);
  const more = lines.length - names.length;
  return names.join(', ') + (more > 0 ? ` and ${more} more` : '');
}
