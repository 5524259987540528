import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { TaskProgressReader, type FailedTasks } from '#libs/kernel/saga';

/** The codes of errors with which a task fails that needs an answer of the payment gateway and did not get one. */
const NO_ANSWER = [
  'payment_gateway_unavailable',
  'payment_gateway_refused',
  'payment_gateway_unreadable',
  'payment_gateway_awaited',
  'no_payment_gateway',
];

/** Tells which charges, refunds and other requests to the payment gateway wait for their next attempt. */
@Injectable()
export class WaitingGatewayRequests {
  private readonly tasks: TaskProgressReader;

  constructor(pool: Pool) {
    this.tasks = new TaskProgressReader(pool);
  }

  async ofWorkspace(workspaceId: string): Promise<FailedTasks> {
    return this.tasks.failedTasks(workspaceId, NO_ANSWER);
  }
}
