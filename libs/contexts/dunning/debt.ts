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
import { dunningEvents, type DunningEvent, type DunningEndReason, type DebtRemovalReason } from './events.js';
import { DEFAULT_POLICY_ID } from './policies/dunning-policies.js';
import type { DunningPolicy, DunningStep } from './policies/events.js';

const DAY_SECONDS = 86_400;
/** A dunning step that is late by at most this time does not move the following steps. */
const PUNCTUAL_MILLIS = 3_600_000;

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
  /** The steps that were taken, in their order. */
  taken: readonly TakenDunningStep[];
  /**
   * The invoices that were added to the debt and not removed. An invoice stays in the debt while a card is being charged for it. An invoice
   * that became overdue while no process was active and the policy was disabled is not in the debt.
   */
  invoiceIds: readonly string[];
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
      step: number;
      mailId: string;
      isPolicyEnabled: boolean;
      invoices: readonly OverdueInvoice[];
    } & DebtKey);

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
        return { ...started, status: 'active', taken: [], startedAt, endedAt: null };
      }
      case 'DunningInvoiceAdded':
        return { ...debt!, invoiceIds: [...debt!.invoiceIds, event.data.invoiceId] };
      case 'DunningInvoiceSettled':
        return {
          ...debt!,
          invoiceIds: debt!.invoiceIds.filter((invoiceId) => invoiceId !== event.data.invoiceId),
        };
      case 'DunningStepTaken': {
        const { at, mailId, invoiceIds, amount, nextStepAt } = event.data;
        return { ...debt!, taken: [...debt!.taken, { at, mailId, invoiceIds, amount }], nextStepAt };
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
 * Starts no dunning process if the policy is disabled or has no steps.
 */
function addInvoice(command: CommandOf<'AddInvoice'>, debt: OverdueDebt | undefined): DunningEvent[] {
  const { customerId, currency, at, invoiceId, since, policy } = command;
  if (debt?.invoiceIds.includes(invoiceId)) return [];
  if (debt?.status === 'active') {
    const { processId } = debt;
    return [{ type: 'DunningInvoiceAdded', data: { processId, customerId, currency, at, invoiceId } }];
  }
  const [first] = policy.steps;
  if (!policy.enabled || !first) return [];
  const { processId } = command;
  const { name: policyName, steps } = policy;
  const nextStepAt = laterOf(at, addDays(since, first.afterDays));
  const invoiceIds = [...(debt?.invoiceIds ?? []), invoiceId];
  const of = { policyId: DEFAULT_POLICY_ID, policyName, steps };
  return [
    { type: 'DunningStarted', data: { processId, customerId, currency, at, ...of, invoiceIds, nextStepAt } },
  ];
}

/** Removes an invoice from the debt. The dunning process ends when its last invoice is removed. */
function removeInvoice(command: CommandOf<'RemoveInvoice'>, debt: OverdueDebt | undefined): DunningEvent[] {
  const { customerId, currency, at, invoiceId, reason } = command;
  if (!debt?.invoiceIds.includes(invoiceId)) return [];
  const reference = { processId: debt.processId, customerId, currency, at };
  const ends = debt.invoiceIds.length === 1 && debt.status === 'active';
  return [
    { type: 'DunningInvoiceSettled', data: { ...reference, invoiceId, reason } },
    ...(ends ? [{ type: 'DunningEnded' as const, data: { ...reference, reason: 'settled' as const } }] : []),
  ];
}

/**
 * Takes a dunning step that is due. Only the next step of the process can be taken, so a repeated command changes nothing. Takes no step if
 * none of the debt's invoices is overdue at `at`. Ends the process instead if the policy is disabled.
 */
function takeStep(command: CommandOf<'TakeStep'>, debt: OverdueDebt | undefined): DunningEvent[] {
  const { at, step, invoices, mailId } = command;
  if (debt?.processId !== command.processId) return [];
  const { processId, customerId, currency, steps, taken: before, nextStepAt: dueAt } = debt;
  if (step !== before.length + 1 || dueAt === null || dueAt > at || invoices.length === 0) return [];
  const reference = { processId, customerId, currency, at };
  if (!command.isPolicyEnabled)
    return [{ type: 'DunningEnded', data: { ...reference, reason: 'policy_disabled' } }];
  const { channel, template, subscription, afterDays } = steps[step - 1]!;
  const following = steps[step];
  // If this step is late, for example after an outage, the following steps move too. So the days between the steps stay the same.
  const from = instantToMillis(at) - instantToMillis(dueAt) > PUNCTUAL_MILLIS ? at : dueAt;
  const nextStepAt = following ? addDays(from, following.afterDays - afterDays) : null;
  const invoiceIds = invoices.map(({ invoiceId }) => invoiceId);
  const amount = moneyString(sumOf(invoices.map((invoice) => invoice.amount)), currency);
  const taken = { step, channel, template, subscription, mailId, invoiceIds, amount, nextStepAt };
  return [
    { type: 'DunningStepTaken', data: { ...reference, ...taken } },
    ...(following
      ? []
      : [{ type: 'DunningEnded' as const, data: { ...reference, reason: 'completed' as const } }]),
  ];
}

function addDays(at: Instant, days: number): Instant {
  return addSeconds(at, days * DAY_SECONDS);
}
