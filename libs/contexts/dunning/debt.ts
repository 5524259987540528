import {
  addSeconds,
  instantToMillis,
  laterOf,
  moneyString,
  sumOf,
  type DecimalString,
  type Instant,
} from '#libs/kernel/core';
import { aggregateId, defineDecider } from '#libs/kernel/domain';
import {
  dunningEvents,
  type DunningEvent,
  type DunningEndReason,
  type DebtRemovalReason,
  type InvoiceInDunning,
  type InvoiceStep,
} from './events.js';
import { DEFAULT_POLICY_ID } from './policies/dunning-policies.js';
import type { DunningPolicy, DunningStep } from './policies/events.js';

const DAY_SECONDS = 86_400;
/** A dunning step that is late by at most this time does not move the following steps. */
const PUNCTUAL_MILLIS = 3_600_000;
/**
 * A reminder that is due within this time goes with the mail that is due now, so that the customer does not get one mail after the other. A
 * step that pauses or cancels a subscription is not taken early.
 */
const JOINED_MILLIS = DAY_SECONDS * 1000;

/**
 * `active`: steps are to come. `settled`: no invoice was overdue any more. `completed`: the last step of the policy was taken. `stopped`:
 * the policy was disabled when the next step was due.
 */
export const DUNNING_STATUSES = ['active', 'settled', 'completed', 'stopped'] as const;
export type DunningStatus = (typeof DUNNING_STATUSES)[number];

const STATUS_AT_END: Readonly<Record<DunningEndReason, DunningStatus>> = {
  settled: 'settled',
  completed: 'completed',
  policy_disabled: 'stopped',
};

/** A dunning step that was taken: its time, its mail, and the invoices of the mail. */
export interface TakenDunningStep {
  /** The number of the step in the policy, from 1. Several mails can have the same step, for different invoices. */
  step: number;
  at: Instant;
  /** The id for the mail of the step. There is no such mail if, for example, the customer has no address. */
  mailId: string;
  /** The invoices that were overdue. */
  invoiceIds: readonly string[];
  /** The total amount due of the overdue invoices. */
  amount: DecimalString;
}

/** A customer's overdue debt in one currency, with the past and future steps of a dunning policy. */
export interface OverdueDebt {
  customerId: string;
  currency: string;
  /** The id of the newest dunning process, even if that process has ended. */
  processId: string;
  status: DunningStatus;
  policyId: string;
  policyName: string;
  /** The steps of the policy, as they were when the process started. */
  steps: readonly DunningStep[];
  /** The mails that were written, in their order, each with its step. */
  taken: readonly TakenDunningStep[];
  /**
   * The invoices that were added to the debt and not removed. An invoice stays in the debt while a card is being charged for it. An invoice
   * that became overdue while no process was active and the policy was disabled is not in the debt.
   */
  invoiceIds: readonly string[];
  /** The same invoices, each with its own way through the steps. */
  invoices: readonly InvoiceInDunning[];
  /** The start of the newest dunning process. */
  startedAt: Instant;
  /** Null if no further step is planned. */
  nextStepAt: Instant | null;
  /** The end of the newest dunning process, even if invoices are still overdue. Null while the process is active. */
  endedAt: Instant | null;
}

/** An overdue invoice with its amount due. */
export interface OverdueInvoice {
  invoiceId: string;
  amount: DecimalString;
}

interface DebtKey {
  customerId: string;
  currency: string;
}

/** The commands on a customer's debt. In each command, `at` is the workspace's time at which the debt changes. */
export type DebtCommand =
  /**
   * `since` is the time from which the days of the steps are counted. `processId` is the id of the new process, if the command starts one.
   */
  | ({
      type: 'AddInvoice';
      at: Instant;
      invoiceId: string;
      since: Instant;
      processId: string;
      policy: DunningPolicy;
    } & DebtKey)
  | ({ type: 'RemoveInvoice'; at: Instant; invoiceId: string; reason: DebtRemovalReason } & DebtKey)
  /** `invoices` are the debt's invoices that are overdue at `at`. */
  | ({
      type: 'TakeStep';
      at: Instant;
      processId: string;
      mailId: string;
      isPolicyEnabled: boolean;
      invoices: readonly OverdueInvoice[];
    } & DebtKey);

type StepTaken = Extract<DunningEvent, { type: 'DunningStepTaken' }>['data'];

type CommandOf<Type extends DebtCommand['type']> = Extract<DebtCommand, { type: Type }>;

/** The aggregate id of a customer's debt in a currency. */
export function debtId(workspaceId: string, { customerId, currency }: DebtKey): string {
  return aggregateId(workspaceId, `${customerId}.${currency}`);
}

/** Decides how a customer is reminded of its overdue invoices. The stream is `dunning-acc_….<customer id>.<currency>`. */
export const debtDecider = defineDecider<OverdueDebt, DebtCommand, DunningEvent>({
  category: 'dunning',
  events: dunningEvents,
  decide(command, debt) {
    switch (command.type) {
      case 'AddInvoice':
        return addInvoice(command, debt);
      case 'RemoveInvoice':
        return removeInvoice(command, debt);
      case 'TakeStep':
        return takeStep(command, debt);
    }
  },
  evolve(debt, event) {
    switch (event.type) {
      case 'DunningStarted': {
        const { at: startedAt, ...started } = event.data;
        const { invoiceIds, nextStepAt, steps } = started;
        // Before each invoice had its own steps, the first step was taken for all.
        const since = addDays(nextStepAt, -(steps[0]?.afterDays ?? 0));
        const alike = invoiceIds.map((invoiceId) => ({ invoiceId, since, lastAfterDays: null }));
        const { invoices = alike } = started;
        return { ...started, invoices, status: 'active', taken: [], startedAt, endedAt: null };
      }
      case 'DunningInvoiceAdded': {
        const { invoiceId, at, since = at, nextStepAt = debt!.nextStepAt } = event.data;
        return {
          ...debt!,
          invoiceIds: [...debt!.invoiceIds, invoiceId],
          invoices: [...debt!.invoices, { invoiceId, since, lastAfterDays: null }],
          nextStepAt,
        };
      }
      case 'DunningInvoiceSettled': {
        const { nextStepAt = debt!.nextStepAt } = event.data;
        const isOther = (invoiceId: string) => invoiceId !== event.data.invoiceId;
        return {
          ...debt!,
          invoiceIds: debt!.invoiceIds.filter(isOther),
          invoices: debt!.invoices.filter(({ invoiceId }) => isOther(invoiceId)),
          nextStepAt,
        };
      }
      case 'DunningStepTaken': {
        const { at, step, mailId, invoiceIds, amount, nextStepAt } = event.data;
        return {
          ...debt!,
          taken: [...debt!.taken, { step, at, mailId, invoiceIds, amount }],
          invoices: afterSteps(debt!, event.data),
          nextStepAt,
        };
      }
      case 'DunningEnded': {
        const { at: endedAt, reason } = event.data;
        return { ...debt!, status: STATUS_AT_END[reason], nextStepAt: null, endedAt };
      }
    }
  },
});

/**
 * Adds an overdue invoice to the active dunning process. If no dunning process is active, starts one for all overdue invoices of the debt.
 * The steps of an invoice count from its own time. The steps that an invoice has had in an earlier process are not taken again. Starts no
 * dunning process if the policy is disabled or has no steps.
 */
function addInvoice(command: CommandOf<'AddInvoice'>, debt: OverdueDebt | undefined): DunningEvent[] {
  const { customerId, currency, at, invoiceId, since, policy } = command;
  if (debt?.invoiceIds.includes(invoiceId)) return [];
  const added: InvoiceInDunning = { invoiceId, since, lastAfterDays: null };
  const invoices = [...(debt?.invoices ?? []), added];
  if (debt?.status === 'active') {
    const { processId } = debt;
    const nextStepAt = nextStepOf(debt.steps, invoices, at)!;
    return [
      {
        type: 'DunningInvoiceAdded',
        data: { processId, customerId, currency, at, invoiceId, since, nextStepAt },
      },
    ];
  }
  const { processId } = command;
  const { name: policyName, steps } = policy;
  const nextStepAt = nextStepOf(steps, invoices, at);
  if (!policy.enabled || nextStepAt === null) return [];
  const invoiceIds = invoices.map((one) => one.invoiceId);
  const of = { policyId: DEFAULT_POLICY_ID, policyName, steps };
  return [
    {
      type: 'DunningStarted',
      data: { processId, customerId, currency, at, ...of, invoiceIds, invoices, nextStepAt },
    },
  ];
}

/**
 * Removes an invoice from the debt. The dunning process ends when its last invoice is removed, or when the remaining invoices have had all
 * steps. The next step is that of the remaining invoices.
 */
function removeInvoice(command: CommandOf<'RemoveInvoice'>, debt: OverdueDebt | undefined): DunningEvent[] {
  const { customerId, currency, at, invoiceId, reason } = command;
  if (!debt?.invoiceIds.includes(invoiceId)) return [];
  const reference = { processId: debt.processId, customerId, currency, at };
  if (debt.status !== 'active')
    return [{ type: 'DunningInvoiceSettled', data: { ...reference, invoiceId, reason } }];
  const others = debt.invoices.filter((one) => one.invoiceId !== invoiceId);
  const nextStepAt = nextStepOf(debt.steps, others, at);
  const settled: DunningEvent = {
    type: 'DunningInvoiceSettled',
    data: { ...reference, invoiceId, reason, nextStepAt },
  };
  if (nextStepAt !== null) return [settled];
  const end = others.length === 0 ? 'settled' : 'completed';
  return [settled, { type: 'DunningEnded', data: { ...reference, reason: end } }];
}

/**
 * Takes the steps that are due, each for the invoice whose days have passed. One mail names all overdue invoices. A repeated command
 * changes nothing, because no step is due any more. Takes no step if no overdue invoice has a due step at `at`. Ends the process instead if
 * the policy is disabled.
 */
function takeStep(command: CommandOf<'TakeStep'>, debt: OverdueDebt | undefined): DunningEvent[] {
  const { at, invoices, mailId } = command;
  if (debt?.processId !== command.processId || debt.status !== 'active') return [];
  const { processId, customerId, currency, steps } = debt;
  const due = dueSteps(
    steps,
    debt.invoices.filter((one) => invoices.some(({ invoiceId }) => invoiceId === one.invoiceId)),
    at,
  );
  if (due.length === 0) return [];
  const reference = { processId, customerId, currency, at };
  if (!command.isPolicyEnabled)
    return [{ type: 'DunningEnded', data: { ...reference, reason: 'policy_disabled' } }];
  const step = Math.max(...due.map((one) => one.step));
  const { channel, template } = steps[step - 1]!;
  const strength = ['none', 'pause', 'cancel'] as const;
  const subscription = strength.findLast((action) => due.some((one) => one.subscription === action))!;
  const invoiceIds = invoices.map(({ invoiceId }) => invoiceId);
  const nextStepAt = nextStepOf(steps, afterSteps(debt, { step, invoiceIds, due, nextStepAt: null }), at);
  const amount = moneyString(sumOf(invoices.map((invoice) => invoice.amount)), currency);
  const taken = { step, channel, template, subscription, mailId, invoiceIds, due, amount, nextStepAt };
  return [
    { type: 'DunningStepTaken', data: { ...reference, ...taken } },
    ...(nextStepAt === null
      ? [{ type: 'DunningEnded' as const, data: { ...reference, reason: 'completed' as const } }]
      : []),
  ];
}

/** Returns the next step of an invoice, with its number and its time. Undefined if the invoice has had all steps. */
function nextStep(
  steps: readonly DunningStep[],
  { since, lastAfterDays }: InvoiceInDunning,
): { number: number; dueAt: Instant; subscription: DunningStep['subscription'] } | undefined {
  const place = steps.findIndex(({ afterDays }) => lastAfterDays === null || afterDays > lastAfterDays);
  const step = steps[place];
  return (
    step && { number: place + 1, dueAt: addDays(since, step.afterDays), subscription: step.subscription }
  );
}

/** Returns the earliest next step of the invoices, at `at` or later. Null if all invoices have had all steps. */
function nextStepOf(
  steps: readonly DunningStep[],
  invoices: readonly InvoiceInDunning[],
  at: Instant,
): Instant | null {
  const [first] = invoices.flatMap((one) => nextStep(steps, one)?.dueAt ?? []).sort();
  return first === undefined ? null : laterOf(at, first);
}

/**
 * Returns the steps to take at `at`: those that are due, and those that are due so soon that they go with the same mail. Empty if no step
 * is due. If a step is late, for example after an outage, the following steps move too. So the days between the steps stay the same.
 */
function dueSteps(
  steps: readonly DunningStep[],
  invoices: readonly InvoiceInDunning[],
  at: Instant,
): InvoiceStep[] {
  const now = instantToMillis(at);
  const next = invoices.flatMap((one) => {
    const step = nextStep(steps, one);
    return step ? [{ ...one, ...step, wait: instantToMillis(step.dueAt) - now }] : [];
  });
  if (next.every(({ wait }) => wait > 0)) return [];
  return next
    .filter(({ wait, subscription }) =>
      subscription === 'none' ? wait <= JOINED_MILLIS : wait <= PUNCTUAL_MILLIS,
    )
    .map(({ invoiceId, number: step, subscription, since, wait }) => ({
      invoiceId,
      step,
      subscription,
      since: wait < -PUNCTUAL_MILLIS ? addSeconds(since, -wait / 1000) : since,
    }));
}

/** Returns the invoices of the debt after steps were taken. */
function afterSteps(
  { invoices, steps }: Pick<OverdueDebt, 'invoices' | 'steps'>,
  taken: Pick<StepTaken, 'step' | 'invoiceIds' | 'due' | 'nextStepAt'>,
): InvoiceInDunning[] {
  return invoices.map((one) => {
    const { due } = taken;
    const step = due
      ? due.find(({ invoiceId }) => invoiceId === one.invoiceId)
      : stepOfAll(steps, one, taken);
    if (!step) return one;
    return { ...one, since: step.since, lastAfterDays: steps[step.step - 1]!.afterDays };
  });
}

/** Returns the step of an old event, which was taken for all invoices of the mail. */
function stepOfAll(
  steps: readonly DunningStep[],
  { invoiceId, since }: InvoiceInDunning,
  { step, invoiceIds, nextStepAt }: Pick<StepTaken, 'step' | 'invoiceIds' | 'nextStepAt'>,
): Pick<InvoiceStep, 'step' | 'since'> | undefined {
  if (!invoiceIds.includes(invoiceId)) return undefined;
  const following = steps[step];
  return {
    step,
    since: nextStepAt !== null && following ? addDays(nextStepAt, -following.afterDays) : since,
  };
}

function addDays(at: Instant, days: number): Instant {
  return addSeconds(at, days * DAY_SECONDS);
}
