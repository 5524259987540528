import { balanceStream, type BalanceEvent, type BalanceKey } from '#libs/contexts/balances';
import { Decimal, moneyString, sumOf } from '#libs/kernel/core';
import { type StreamReader } from '#libs/kernel/event-store';
import { aggregateId, type Recorded } from '#libs/kernel/domain';
import {
  traceSourceInvoiceIds,
  invoiceDecider,
  paymentRefundId,
  type InvoiceEvent,
  type InvoiceDetails,
} from '#libs/contexts/invoicing';
import type { TaskProgressReader } from '#libs/kernel/saga';
import type { LedgerDifference } from '#libs/outputs/books';
import { valueText } from './difference.js';
import type { InvoiceStream } from './invoice-stream.js';

type RecordedInvoiceEvent<Type extends InvoiceEvent['type']> = Recorded<
  Extract<InvoiceEvent, { type: Type }>
>;
type RecordedInvoiceOpened = RecordedInvoiceEvent<'InvoiceOpened'>;

/** Compares the amounts that invoices took from or added to customers' balances with the events of these balances. */
export class CustomerBalanceCheck {
  constructor(
    private readonly streams: StreamReader,
    private readonly tasks: TaskProgressReader,
  ) {}

  /** Returns the differences in how an invoice and its credit notes changed the customer's balance. */
  async check(invoice: InvoiceStream): Promise<Omit<LedgerDifference, 'subject'>[]> {
    return [
      ...(await this.openingProblems(invoice)),
      ...(await this.reservationProblems(invoice)),
      ...(await this.creditNoteProblems(invoice)),
      ...(await this.paymentProblems(invoice)),
      ...(await this.refusedRefundProblems(invoice)),
      ...(await this.takenBackProblems(invoice)),
    ];
  }

  private async openingProblems({
    creation: created,
    events,
  }: InvoiceStream): Promise<Omit<LedgerDifference, 'subject'>[]> {
    const opened = events.find(({ type }) => type === 'InvoiceOpened') as RecordedInvoiceOpened | undefined;
    if (!opened) return [];
    const { balanceCredited: added = '0' } = opened.data;
    const recomputed = events.findLast(({ type }) => type === 'DraftRecomputed');
    const { excess = '0', lines } =
      (recomputed as RecordedInvoiceEvent<'DraftRecomputed'> | undefined)?.data ?? created.data;
    const problems: string[] = [];
    if (!new Decimal(added).eq(excess))
      problems.push(
        `InvoiceOpened adds ${valueText(added)} to the balance, but its lines give back ${valueText(excess)}`,
      );
    if (!new Decimal(added).isZero()) problems.push(...(await this.creditProblems(opened, added, lines)));
    return problems.map((problem) => ({ position: opened.position, problem }));
  }

  /**
   * Returns the difference between what an opened or voided invoice uses of the balance and what the balance keeps for it. A debt that the
   * invoice collects counts below zero. Returns no difference while a task that settles the amount is not done.
   */
  private async reservationProblems(invoice: InvoiceStream): Promise<Omit<LedgerDifference, 'subject'>[]> {
    const { creation, events } = invoice;
    const { workspaceId } = creation.metadata;
    const { invoiceId } = creation.data;
    const end = events.findLast(({ type }) => type === 'InvoiceOpened' || type === 'InvoiceVoided');
    if (!end) return [];
    const used =
      end.type === 'InvoiceOpened' ? ((end as RecordedInvoiceOpened).data.balanceApplied ?? '0') : '0';
    const before = await this.balanceEvents(workspaceId, creation.data);
    if (reservedFor(invoiceId, before).eq(used)) return [];
    const reserving = before.filter((event) => isReservedBy(event, invoiceId));
    for (const event of [...events.filter(({ type }) => type === 'InvoiceOpened'), end, ...reserving])
      if (await this.tasks.isEventTaskUnfinished('balances', 'settle-balance', event)) return [];
    // The tasks are checked before the events are read again. If a task is done, its event exists.
    const reserved = reservedFor(invoiceId, await this.balanceEvents(workspaceId, creation.data));
    if (reserved.eq(used)) return [];
    // An invoice that was voided meanwhile uses another amount.
    const stream = `${invoiceDecider.category}-${aggregateId(workspaceId, invoiceId)}`;
    if ((await this.streams.read(stream)).length > events.length) return [];
    const kept = valueText(moneyString(reserved, creation.data.currency));
    const problem = `${end.type} uses ${valueText(used)} of the balance, but the balance keeps ${kept} for it`;
    return [{ position: end.position, problem }];
  }

  /**
   * Returns differences in the amount that an opened invoice adds to the balance. Returns no differences while the task that credits the
   * balance is not done.
   */
  private async creditProblems(
    opened: RecordedInvoiceOpened,
    added: string,
    lines: InvoiceDetails['lines'],
  ): Promise<string[]> {
    // The task is checked before the events are read. If the task is done, its event exists.
    if (await this.tasks.isEventTaskUnfinished('balances', 'credit-balance', opened)) return [];
    const got = await this.amountOf(opened, isCreditByInvoice);
    const reduced = await this.amountGivenBack(opened, lines);
    if (reduced.plus(got ?? 0).eq(added)) return [];
    const off = reduced.isZero()
      ? ''
      : `, and ${valueText(moneyString(reduced, opened.data.currency))} was taken off earlier invoices or refunded`;
    return [
      `InvoiceOpened adds ${valueText(added)} to the balance, which got ${valueText(got ?? moneyString(new Decimal(0), opened.data.currency))} for it${off}`,
    ];
  }

  /**
   * Returns how much an invoice gave back by reducing the amounts due of earlier invoices or by refunding their payments.
   */
  private async amountGivenBack(
    { data, metadata }: RecordedInvoiceOpened,
    lines: InvoiceDetails['lines'],
  ): Promise<Decimal> {
    const eventsOf = async (invoiceId: string) =>
      (await this.streams.read(
        `${invoiceDecider.category}-${aggregateId(metadata.workspaceId, invoiceId)}`,
      )) as Recorded<InvoiceEvent>[];
    const linesOf = async (invoiceId: string) =>
      (await eventsOf(invoiceId)).reduce<InvoiceDetails['lines']>(
        (before, event) =>
          event.type === 'InvoiceCreated' || event.type === 'DraftRecomputed' ? event.data.lines : before,
        [],
      );
    const taken: string[] = [];
    for await (const invoiceId of traceSourceInvoiceIds(lines, linesOf))
      for (const event of await eventsOf(invoiceId))
        if (
          (event.type === 'InvoiceReduced' || event.type === 'PaymentRefundStarted') &&
          event.data.byInvoiceId === data.invoiceId
        )
          taken.push(event.data.amount);
    return sumOf(taken);
  }

  /**
   * Returns the credit notes whose amount differs from the amount that was added to the balance. Also returns the voided credit notes whose
   * amount differs from the amount that was removed from the balance.
   */
  private async creditNoteProblems({ events }: InvoiceStream): Promise<Omit<LedgerDifference, 'subject'>[]> {
    const issued = (events as readonly Recorded<InvoiceEvent>[]).filter(isCreditNoteToBalance);
    const problems = await Promise.all(
      issued.map(async (event) => {
        const { position, data, metadata } = event;
        const { creditNoteId, toBalance } = data.note;
        // The task is checked before the events are read. If the task is done, its event exists.
        if (await this.tasks.isEventTaskUnfinished('balances', 'credit-balance', event)) return [];
        const balance = await this.balanceEvents(metadata.workspaceId, data);
        const got = creditNoteAmountIn(balance, 'BalanceCredited', creditNoteId);
        const lost = creditNoteAmountIn(balance, 'BalanceDebited', creditNoteId);
        const voiding = events.find(
          (one) =>
            one.type === 'CreditNoteVoided' &&
            (one as RecordedInvoiceEvent<'CreditNoteVoided'>).data.creditNoteId === creditNoteId,
        );
        return [
          ...(got === toBalance
            ? []
            : [
                {
                  position,
                  problem: `credit note ${creditNoteId} adds ${valueText(toBalance)} to the balance, but the balance got ${valueText(got)} for it`,
                },
              ]),
          ...(voiding === undefined || lost === toBalance
            ? []
            : [
                {
                  position: voiding.position,
                  problem: `credit note ${creditNoteId} is void and had added ${valueText(toBalance)} to the balance, but ${valueText(lost)} was taken out again`,
                },
              ]),
        ];
      }),
    );
    return problems.flat();
  }

  /**
   * Returns the recorded payments whose excess differs from the amount that was added to the balance. Also returns the payments from the
   * balance that differ from the amount that was taken from the balance. If a payment was reversed, its change of the balance must have
   * been undone.
   */
  private async paymentProblems({ events }: InvoiceStream): Promise<Omit<LedgerDifference, 'subject'>[]> {
    const all = events as readonly Recorded<InvoiceEvent>[];
    const recorded = all.filter((event) => event.type === 'PaymentRecorded');
    const problems = await Promise.all(
      recorded.map(async (event) => {
        const { paymentId, amount, toBalance, method } = event.data;
        const isFromBalance = method === 'balance';
        if (!isFromBalance && toBalance === undefined) return [];
        const reversal = all.find(
          (one) => one.type === 'RecordedPaymentReversed' && one.data.paymentId === paymentId,
        );
        // The tasks are checked before the events are read. If a task is done, its event exists.
        const isGivingUnderWay =
          !isFromBalance && (await this.tasks.isEventTaskUnfinished('balances', 'credit-excess', event));
        const isReturnUnderWay =
          isFromBalance &&
          reversal !== undefined &&
          (await this.tasks.isEventTaskUnfinished('balances', 'complete-balance-payment', reversal));
        const balance = await this.balanceEvents(event.metadata.workspaceId, event.data);
        const [there, back] = isFromBalance
          ? (['BalanceWithdrawn', 'BalanceWithdrawalReturned'] as const)
          : (['BalanceCredited', 'BalanceExcessRemoved'] as const);
        const expected = toBalance ?? amount;
        const moved = paymentAmountIn(balance, there, paymentId);
        const returned = paymentAmountIn(balance, back, paymentId);
        return [
          ...(isGivingUnderWay || moved === expected
            ? []
            : [
                {
                  position: event.position,
                  problem: `payment ${paymentId} ${isFromBalance ? 'takes' : 'adds'} ${valueText(expected)} ${isFromBalance ? 'from' : 'to'} the balance, but the balance changed by ${valueText(moved)} for it`,
                },
              ]),
          ...(reversal === undefined || isReturnUnderWay || returned === expected
            ? []
            : [
                {
                  position: reversal.position,
                  problem: `payment ${paymentId} is reversed and had changed the balance by ${valueText(expected)}, but ${valueText(returned)} was changed back`,
                },
              ]),
        ];
      }),
    );
    return problems.flat();
  }

  /** Returns the refunds that were refused or failed, and whose amount differs from the amount that was added to the balance. */
  private async refusedRefundProblems({
    events,
  }: InvoiceStream): Promise<Omit<LedgerDifference, 'subject'>[]> {
    const refused = (events as readonly Recorded<InvoiceEvent>[]).filter(
      (event) => event.type === 'PaymentRefundRefused' || event.type === 'PaymentRefundFailed',
    );
    const problems = await Promise.all(
      refused.map(async (event) => {
        const { invoiceId, byInvoiceId, amount } = event.data;
        // The task is checked before the events are read. If the task is done, its event exists.
        if (await this.tasks.isEventTaskUnfinished('balances', 'credit-refused-refund', event)) return [];
        const balance = await this.balanceEvents(event.metadata.workspaceId, event.data);
        const refundId = paymentRefundId(invoiceId, byInvoiceId);
        const got = balance.find(({ type, data }) => type === 'BalanceCredited' && data.sourceId === refundId)
          ?.data.amount;
        if (got === amount) return [];
        return [
          {
            position: event.position,
            problem: `the ${event.type === 'PaymentRefundFailed' ? 'failed' : 'refused'} refund for ${byInvoiceId} adds ${valueText(amount)} to the balance, but the balance got ${valueText(got)} for it`,
          },
        ];
      }),
    );
    return problems.flat();
  }

  /**
   * Returns the refunds and disputes for which the balance lost another amount than the invoice records. Returns also the failed refunds
   * whose amount did not go back to the balance.
   */
  private async takenBackProblems({ events }: InvoiceStream): Promise<Omit<LedgerDifference, 'subject'>[]> {
    const all = events as readonly Recorded<InvoiceEvent>[];
    const taken = all.filter((event) => event.type === 'ReturnedMoneyTakenBack');
    const failed = all.filter((event) => event.type === 'GatewayRefundFailed');
    const problems: Omit<LedgerDifference, 'subject'>[] = [];
    for (const [returnId, ofReturn] of Map.groupBy(taken, ({ data }) => data.returnId)) {
      const [first] = ofReturn;
      const balance = await this.balanceEvents(first!.metadata.workspaceId, first!.data);
      const got = sumOf(
        balance.flatMap((event) =>
          event.type === 'BalanceTakenBack' && event.data.returnId === returnId ? [event.data.amount] : [],
        ),
      );
      const recorded = sumOf(ofReturn.map(({ data }) => data.amount));
      // The invoice can be behind the balance, and never before it.
      if (recorded.lte(got)) continue;
      problems.push({
        position: first!.position,
        problem: `${returnId} takes ${valueText(recorded.toFixed())} off the balance, but ${valueText(got.toFixed())} was taken`,
      });
    }
    for (const event of failed) {
      const { toBalance, refundId } = event.data;
      if (toBalance === undefined) continue;
      // The task is checked before the events are read. If the task is done, its event exists.
      if (await this.tasks.isEventTaskUnfinished('balances', 'credit-failed-return', event)) continue;
      const balance = await this.balanceEvents(event.metadata.workspaceId, event.data);
      const got = balance.find(({ type, data }) => type === 'BalanceCredited' && data.sourceId === refundId)
        ?.data.amount;
      if (got === toBalance) continue;
      problems.push({
        position: event.position,
        problem: `the failed refund ${refundId} adds ${valueText(toBalance)} to the balance, but the balance got ${valueText(got)} for it`,
      });
    }
    return problems;
  }

  private async balanceEvents(
    workspaceId: string,
    key: BalanceKey,
  ): Promise<readonly Recorded<BalanceEvent>[]> {
    return (await this.streams.read(balanceStream(workspaceId, key))) as Recorded<BalanceEvent>[];
  }

  /** Returns the amount of the balance event that is about the invoice. */
  private async amountOf(
    { data, metadata }: RecordedInvoiceOpened,
    isAbout: (event: Recorded<BalanceEvent>, invoiceId: string) => boolean,
  ): Promise<string | undefined> {
    const events = await this.balanceEvents(metadata.workspaceId, data);
    return events.find((event) => isAbout(event, data.invoiceId))?.data.amount;
  }
}

function isCreditNoteToBalance(
  event: Recorded<InvoiceEvent>,
): event is RecordedInvoiceEvent<'CreditNoteIssued'> {
  return event.type === 'CreditNoteIssued' && !new Decimal(event.data.note.toBalance).isZero();
}

/** Finds the balance event of this type for the credit note, and returns its amount. */
function creditNoteAmountIn(
  events: readonly Recorded<BalanceEvent>[],
  type: 'BalanceCredited' | 'BalanceDebited',
  creditNoteId: string,
): string | undefined {
  return events.find(
    (event) =>
      event.type === type &&
      (event.type === 'BalanceCredited' ? event.data.sourceId : event.data.creditNoteId) === creditNoteId,
  )?.data.amount;
}

/** Finds the balance event of this type for the payment, and returns its amount. */
function paymentAmountIn(
  events: readonly Recorded<BalanceEvent>[],
  type: 'BalanceCredited' | 'BalanceExcessRemoved' | 'BalanceWithdrawn' | 'BalanceWithdrawalReturned',
  paymentId: string,
): string | undefined {
  return events.find(
    (event) =>
      event.type === type &&
      (event.type === 'BalanceCredited' ? event.data.sourceId : event.data.paymentId) === paymentId,
  )?.data.amount;
}

/** What a balance keeps for an invoice: what the invoice was given, less what it gave back. Below zero for a debt that it collects. */
function reservedFor(invoiceId: string, events: readonly Recorded<BalanceEvent>[]): Decimal {
  return sumOf(
    events.flatMap(({ type, data }) => {
      if (!('invoiceId' in data) || data.invoiceId !== invoiceId) return [];
      if (type === 'BalanceApplied' || type === 'BalanceDebtReturned') return [data.amount];
      return type === 'BalanceReturned' || type === 'BalanceDebtApplied' ? [`-${data.amount}`] : [];
    }),
  );
}

/** Tells whether the event reserves a part of the balance, or its debt, for an invoice. */
function isReservedBy({ type, data }: Recorded<BalanceEvent>, invoiceId: string): boolean {
  return (type === 'BalanceApplied' || type === 'BalanceDebtApplied') && data.invoiceId === invoiceId;
}

function isCreditByInvoice({ type, data }: Recorded<BalanceEvent>, invoiceId: string): boolean {
  return type === 'BalanceCredited' && data.source === 'invoice' && data.sourceId === invoiceId;
}
