import type { TaskRequest } from '#libs/kernel/saga';

/** A delivery that is to be sent to its endpoint, in as many attempts as needed. */
export interface DeliverTask {
  deliveryId: string;
  webhookId: string;
  /** The round of the delivery that the task is for. Absent for the first round. */
  round?: number;
}

/**
 * The task that sends a delivery. It is due at once, in the endpoint's queue.
 *
 * @param isTest a test is in no queue, because somebody waits for its result and it must be sent even if the endpoint is paused
 */
export function deliverTask(payload: DeliverTask, isTest = false): TaskRequest<{ deliver: DeliverTask }> {
  const { deliveryId, webhookId, round } = payload;
  return {
    name: 'deliver',
    key: round === undefined ? deliveryId : `${deliveryId} ${round}`,
    payload,
    clock: 'system',
    ...(isTest ? {} : { queue: webhookId }),
  };
}
