import type { TaskRequest } from '#libs/kernel/saga';

/** The name of the process manager that performs this task. */
export const BILLING_PROCESS = 'billing';

/** The subscription whose usage may have reached the threshold of its plan. */
export interface BillProgressPayload {
  subscriptionId: string;
}

/** The task that checks whether usage has reached the plan's threshold. */
export function billProgressTask(
  payload: BillProgressPayload,
): TaskRequest<{ 'bill-progress': BillProgressPayload }> {
  return { name: 'bill-progress', payload };
}
