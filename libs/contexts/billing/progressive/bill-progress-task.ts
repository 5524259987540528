import type { TaskRequest } from '#libs/kernel/saga';

/** The name of the process manager that performs the tasks of {@link progressiveBillingTask}. */
export const BILLING_PROCESS_MANAGER = 'billing';

/** The subscription whose usage may have reached its threshold. */
export interface ProgressiveBillingPayload {
  subscriptionId: string;
}

/** The task that checks whether usage has reached the subscription's threshold. */
export function progressiveBillingTask(
  payload: ProgressiveBillingPayload,
): TaskRequest<{ 'bill-progress': ProgressiveBillingPayload }> {
  return { name: 'bill-progress', payload };
}
