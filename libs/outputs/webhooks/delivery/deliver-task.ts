import type { TaskRequest } from '#libs/kernel/saga';

/** A delivery that is to be sent to its endpoint, in as many attempts as needed. */
export interface DeliverTask {
  deliveryId: string;
  webhookId: string;
  /** The number of times that a user had requested the delivery again when the task was added. Absent if it is zero. */
  round?: number;
}

/**
 * The task that sends a delivery. The task is due at once, in the endpoint's queue.
 *
 * @param isTest a test is in no queue, because a user waits for its result and a test is sent even to a paused endpoint
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
