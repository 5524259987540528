import type { UnpaidSubscriptionAction } from '#libs/contexts/invoicing';
import type { DecimalString, Instant } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';
import type { DunningStep, DunningTemplate } from './policies/events.js';

/**
 * The reasons why an invoice is removed from a customer's overdue debt. `retrying`: a retry of the invoice's payment is planned, so the
 * customer gets mail about the failed payment instead of dunning mail.
 */
export const DEBT_REMOVAL_REASONS = ['paid', 'void', 'uncollectible', 'retrying'] as const;
export type DebtRemovalReason = (typeof DEBT_REMOVAL_REASONS)[number];

/**
 * Why a process ended. `settled`: no invoice was overdue any more. `completed`: the last dunning step was taken. `policy_disabled`: the
 * policy was disabled when the next step was due.
 */
export const DUNNING_END_REASONS = ['settled', 'completed', 'policy_disabled'] as const;
export type DunningEndReason = (typeof DUNNING_END_REASONS)[number];

/** The debt and the process that an event is about. */
interface DebtReference {
  processId: string;
  customerId: string;
  currency: string;
  at: Instant;
}

/** The way of one invoice through the steps of a dunning policy. */
export interface InvoiceInDunning {
  invoiceId: string;
  /** The time from which the days of the steps are counted. A step that was taken late moves it. */
  since: Instant;
  /** The days of the last step that was taken for the invoice. Null if none was taken. */
  lastAfterDays: number | null;
}

/** An invoice whose own step is taken, with the number of the step and what the step does to the invoice's subscriptions. */
export interface InvoiceStep {
  invoiceId: string;
  step: number;
  subscription: UnpaidSubscriptionAction;
  /** The time from which the days of the following steps are counted. */
  since: Instant;
}

export type DunningEvent =
  /**
   * A dunning process keeps the steps of its policy, so a later change of the steps does not affect the process. If the policy is disabled,
   * the process ends instead of taking its next step.
   */
  | DomainEvent<
      'DunningStarted',
      DebtReference & {
        policyId: string;
        policyName: string;
        steps: readonly DunningStep[];
        /** All overdue invoices of the debt. */
        invoiceIds: readonly string[];
        /** The same invoices with their steps. In old events without it, all invoices begin with the first step at `nextStepAt`. */
        invoices?: readonly InvoiceInDunning[];
        nextStepAt: Instant;
      }
    >
  /**
   * `since` is the time from which the days of the invoice's steps are counted. In old events without it, this is `at`. `nextStepAt` is the
   * next step of the process, which the invoice can make earlier. In old events without it, the next step does not change.
   */
  | DomainEvent<
      'DunningInvoiceAdded',
      DebtReference & { invoiceId: string; since?: Instant; nextStepAt?: Instant }
    >
  /**
   * The invoice is no longer part of the debt. This event can also come after the end of the dunning process. `nextStepAt` is the next step
   * of the other invoices. Absent if the next step does not change, and in old events.
   */
  | DomainEvent<
      'DunningInvoiceSettled',
      DebtReference & { invoiceId: string; reason: DebtRemovalReason; nextStepAt?: Instant | null }
    >
  /**
   * `step` counts from 1. It is the latest step that is due for an invoice, and its template is that of the mail. `invoiceIds` are all
   * overdue invoices, which the mail names. `amount` is their total amount due. `due` are the invoices whose own step is taken. In old
   * events without it, the step is taken for all invoices. `subscription` is the strongest change of `due`. `nextStepAt` is null if no
   * invoice has another step.
   */
  | DomainEvent<
      'DunningStepTaken',
      DebtReference & {
        step: number;
        channel: 'email';
        template: DunningTemplate;
        subscription: UnpaidSubscriptionAction;
        mailId: string;
        invoiceIds: readonly string[];
        due?: readonly InvoiceStep[];
        amount: DecimalString;
        nextStepAt: Instant | null;
      }
    >
  | DomainEvent<'DunningEnded', DebtReference & { reason: DunningEndReason }>;

export const dunningEvents: EventCatalog<DunningEvent> = {
  DunningStarted: v1,
  DunningInvoiceAdded: v1,
  DunningInvoiceSettled: v1,
  DunningStepTaken: v1,
  DunningEnded: v1,
};
