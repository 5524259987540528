import { defineDecider, erasedValue, mapPersonalFields } from '#libs/kernel/domain';
import {
  amendSubscription,
  cancelAmendment,
  scheduleAmendment,
  type AmendSubscription,
  type CancelAmendment,
  type ScheduleAmendment,
} from './decisions/amend.js';
import {
  cancelSubscription,
  withdrawCancellation,
  type CancelSubscription,
  type WithdrawCancellation,
} from './decisions/cancel.js';
import { changeDetails, type ChangeDetails } from './decisions/change-details.js';
import { countLicenses, type CountLicenses } from './decisions/count-licenses.js';
import { createSubscription, type CreateSubscription } from './decisions/create.js';
import { advanceSubscription, type AdvanceSubscription } from './decisions/advance.js';
import {
  pauseSubscription,
  resumeSubscription,
  type PauseSubscription,
  type ResumeSubscription,
} from './decisions/pause.js';
import { recordPaymentStatus, type RecordPaymentStatus } from './decisions/payment-status.js';
import { addProgressiveBill, type AddProgressiveBill } from './decisions/progress.js';
import { billUsage, type BillUsage } from './decisions/usage.js';
import { recordInvoiceVoid, type RecordInvoiceVoid } from './decisions/record-invoice-void.js';
import { subscriptionEvents, type SubscriptionEvent } from './events.js';
import { evolve } from './evolve.js';
import { requireSubscription, type Subscription } from './subscription.js';

/** The changes that a user can request. Each change is decided by the state of the subscription at the command's `at`. */
type Update =
  | CancelSubscription
  | WithdrawCancellation
  | PauseSubscription
  | ResumeSubscription
  | AmendSubscription
  | ScheduleAmendment
  | CancelAmendment;

/** A requested change ({@link Update}) without its time `at`. */
export type SubscriptionUpdate = Update extends infer One
  ? One extends Update
    ? Omit<One, 'at'>
    : never
  : never;

/** A command for an existing subscription. */
export type ExistingSubscriptionCommand =
  | Update
  | AdvanceSubscription
  | CountLicenses
  | BillUsage
  | AddProgressiveBill
  | RecordPaymentStatus
  | ChangeDetails
  | RecordInvoiceVoid;

export type SubscriptionCommand = CreateSubscription | ExistingSubscriptionCommand;

export const subscriptionDecider = defineDecider<Subscription, SubscriptionCommand, SubscriptionEvent>({
  category: 'subscription',
  events: subscriptionEvents,
  decide(command, subscription) {
    if (command.type === 'CreateSubscription') return createSubscription(command, subscription);
    const known = requireSubscription(command.subscriptionId, subscription);
    switch (command.type) {
      case 'AdvanceSubscription':
        return advanceSubscription(command, known);
      case 'CountLicenses':
        return countLicenses(command, known);
      case 'BillUsage':
        return billUsage(command, known);
      case 'BillProgress':
        return addProgressiveBill(command, known);
      case 'CancelSubscription':
        return cancelSubscription(command, known);
      case 'WithdrawCancellation':
        return withdrawCancellation(command, known);
      case 'PauseSubscription':
        return pauseSubscription(command, known);
      case 'ResumeSubscription':
        return resumeSubscription(command, known);
      case 'AmendSubscription':
        return amendSubscription(command, known);
      case 'ScheduleAmendment':
        return scheduleAmendment(command, known);
      case 'CancelAmendment':
        return cancelAmendment(command, known);
      case 'ChangeDetails':
        return changeDetails(command, known);
      case 'RecordPaymentStatus':
        return recordPaymentStatus(command, known);
      case 'RecordInvoiceVoid':
        return recordInvoiceVoid(command, known);
    }
  },
  evolve,
  withoutPersonalData: (subscription) =>
    mapPersonalFields(subscription, ['metadata', 'externalId'], erasedValue),
});
