import { fold, type RecordedEvent } from '#libs/kernel/domain';
import { amountToPay, invoiceDecider, type Invoice, type InvoiceEvent } from '#libs/contexts/invoicing';
import type { RequestedCreditAmounts, TaxRate } from '#libs/rating';
import { recordedEvent } from '#libs/kernel/testing';
import { statementsOf } from './blocks.js';
import { instantOf } from './days.js';
import { Draft, idOf } from './drafts.js';
import { readCreditNote, readPayment, readReversal } from './requests.js';

/*
 * What becomes of invoices. First what the next invoice charges (drafts.ts), then what happens on a day:
 *
 *   1 Jan invoice INV-1                              opened, with what the statements before it charge
 *   1 Jan invoice INV-1 with 5.00 from the balance
 *   2 Jan INV-1 is paid
 *   2 Jan INV-1 is carried to the next invoice        which is opened with -5.00 from the balance then
 *   3 Jan INV-1 is refunded 40.00 at the processor
 *   3 Jan 70.00 of INV-1 is disputed
 *   2 Jan POST /v1/invoices/INV-1/payments {…}       rpay_1, rpay_2 and so on; a payment from the balance is always covered
 *   3 Jan DELETE /v1/invoices/INV-1/payments/rpay_1 {…}
 *   3 Jan POST /v1/invoices/INV-1/credit-note {…}    CN-1, CN-2 and so on; also …/void, …/mark-uncollectible, …/credit-notes/CN-1/void
 */

type Command = Parameters<typeof invoiceDecider.decide>[0];
/** A command without what each of them says. */
type Step = Command extends infer One ? (One extends Command ? Omit<One, 'at' | 'invoiceId'> : never) : never;

/** What came of an example: the invoices, their events, and what their prices are called. */
export interface History {
  readonly invoices: ReadonlyMap<string, Invoice>;
  readonly events: readonly RecordedEvent<InvoiceEvent>[];
  readonly prices: ReadonlyMap<string, string>;
  /** The invoice that was not opened, if there is one. */
  readonly draft: Draft;
}

/** Plays an example. */
export async function play(text: string): Promise<History> {
  const rates: TaxRate[] = [];
  const prices = new Map<string, string>();
  const ledger = new Invoices();
  let draft = new Draft(rates);
  for (const statement of statementsOf(text)) {
    if (await draft.take(statement)) continue;
    const [, day, what] = /^(\d+ \w{3}(?: 2027)?) (.+)$/.exec(statement) ?? [];
    const at = day === undefined ? '' : instantOf(day);
    const [, number, balance] = /^invoice (\S+)(?: with (\S+) from the balance)?$/.exec(what ?? '') ?? [];
    if (number !== undefined) {
      for (const [priceId, name] of draft.prices) prices.set(priceId, name);
      ledger.open(number, draft, at, balance);
      draft = new Draft(rates);
    } else if (what === undefined || !(await happen(ledger, what, at))) {
      throw new Error(`Nobody knows what it is that "${statement}"`);
    }
  }
  const { invoices, events } = ledger;
  return { invoices, events, prices, draft };
}

/** Whether that is something that happens to an invoice. */
async function happen(invoices: Invoices, what: string, at: string): Promise<boolean> {
  const [, paid] = /^(\S+) is paid$/.exec(what) ?? [];
  if (paid !== undefined) return invoices.pay(paid, at);
  const [, carried] = /^(\S+) is carried to the next invoice$/.exec(what) ?? [];
  if (carried !== undefined) return invoices.carry(carried, at);
  const [, refunded, amount = ''] = /^(\S+) is refunded (\S+) at the processor$/.exec(what) ?? [];
  if (refunded !== undefined) return invoices.refundAtProcessor(refunded, at, amount);
  const [, held = '', disputed] = /^(\S+) of (\S+) is disputed$/.exec(what) ?? [];
  if (disputed !== undefined) return invoices.dispute(disputed, at, held);
  const [, number = '', path = '', json = '{}'] =
    /^(?:POST|DELETE) \/v1\/invoices\/([^/ ]+)\/(\S+)(?: (.*))?$/.exec(what) ?? [];
  switch (path) {
    case 'payments':
      return invoices.record(number, await readPayment(json, at), at);
    case 'payments/rpay_1':
      return invoices.run(number, at, {
        type: 'ReversePayment',
        paymentId: 'rpay_1',
        ...(await readReversal(json)),
      });
    case 'credit-note':
      return invoices.credit(number, at, await readCreditNote(json));
    case 'void':
      return invoices.run(number, at, { type: 'VoidInvoice', reason: null });
    case 'mark-uncollectible':
      return invoices.run(number, at, { type: 'MarkUncollectible' });
    case 'credit-notes/CN-1/void':
      return invoices.run(number, at, { type: 'VoidCreditNote', creditNoteId: 'cn_1', reason: null });
    default:
      return false;
  }
}

/** Invoices by the numbers that are printed on them, each decided on by the product's own rules. */
class Invoices {
  readonly invoices = new Map<string, Invoice>();
  readonly events: RecordedEvent<InvoiceEvent>[] = [];
  private notes = 0;
  private payments = 0;

  open(number: string, draft: Draft, at: string, balance = '0.00'): void {
    const invoiceId = `inv_${this.invoices.size + 1}`;
    const details = { ...draft.details(invoiceId), billedAt: at };
    const opening = { number, sellerName: null, balance };
    this.decide(number, { type: 'CreateInvoice', at, invoiceId, details });
    this.run(number, at, { type: 'OpenInvoice', opening });
  }

  run(number: string, at: string, step: Step): true {
    const { invoiceId } = this.invoices.get(number)!;
    this.decide(number, { ...step, at, invoiceId });
    return true;
  }

  pay(number: string, at: string): true {
    const method = { paymentMethodId: 'pm_1', type: 'test', test: 'pm_card_visa', label: 'Visa' } as const;
    const attemptId = `pay_${number}`;
    this.run(number, at, { type: 'StartPayment', attemptId, method, opening: null });
    return this.run(number, at, {
      type: 'CompletePayment',
      attemptId,
      outcome: { status: 'succeeded' },
      retryRules: null,
    });
  }

  refundAtProcessor(number: string, at: string, amount: string): true {
    const refunds = [{ refundId: `re_${at}`, amount }];
    return this.run(number, at, { type: 'RecordGatewayRefunds', attemptId: `pay_${number}`, refunds });
  }

  dispute(number: string, at: string, amount: string): true {
    const dispute = { attemptId: `pay_${number}`, disputeId: 'du_1', amount };
    return this.run(number, at, {
      type: 'RecordDispute',
      dispute: { ...dispute, reason: 'fraudulent', status: 'needs_response' },
    });
  }

  record(number: string, payment: Awaited<ReturnType<typeof readPayment>>, at: string): true {
    this.payments += 1;
    const paymentId = `rpay_${this.payments}`;
    if (payment.method !== 'balance')
      return this.run(number, at, { type: 'RecordPayment', paymentId, ...payment });
    const { amount } = payment;
    const available = amount ?? this.invoices.get(number)!.total;
    this.run(number, at, { type: 'StartBalancePayment', paymentId, amount, available });
    return this.run(number, at, { type: 'CompleteBalancePayment', paymentId, succeeded: true });
  }

  carry(number: string, at: string): true {
    this.payments += 1;
    const paymentId = `rpay_${this.payments}`;
    const amount = amountToPay(this.invoices.get(number)!);
    this.run(number, at, { type: 'CarryForward', paymentId, amount });
    return this.run(number, at, { type: 'CompleteBalancePayment', paymentId, succeeded: true });
  }

  credit(number: string, at: string, request: Awaited<ReturnType<typeof readCreditNote>>): true {
    this.notes += 1;
    const creditNoteId = `cn_${this.notes}`;
    const credit = withLineIds(request.credit, this.invoices.get(number)!);
    this.run(number, at, { type: 'IssueCreditNote', creditNoteId, ...request, credit });
    this.run(number, at, { type: 'NumberCreditNote', creditNoteId, number: `CN-${this.notes}` });
    return this.run(number, at, { type: 'CompleteRefund', creditNoteId });
  }

  private decide(number: string, command: Command): void {
    const before = this.invoices.get(number);
    const events = invoiceDecider.decide(command, before);
    this.invoices.set(number, fold(invoiceDecider, events, before)!);
    const stream = `invoice-acc_1.${command.invoiceId}`;
    this.events.push(...events.map((event) => recordedEvent(stream, event, { occurredAt: command.at })));
  }
}

/** Examples call a line by what it charges for: `line_seats`. */
function withLineIds(
  credit: RequestedCreditAmounts | null,
  { lines }: Invoice,
): RequestedCreditAmounts | null {
  if (!credit?.lines) return credit;
  return {
    lines: credit.lines.map(({ id, amount }) => {
      const line = lines.find(({ description }) => idOf('line', description) === id);
      return { id: line?.id ?? id, amount };
    }),
  };
}
