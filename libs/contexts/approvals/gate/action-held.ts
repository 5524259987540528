import type { ApprovalRequest } from '../requests/approval-request.js';

/**
 * Thrown when an action is not executed because it needs approval first. `request` is the stored approval request. The API answers 202 with
 * the request.
 */
export class ActionHeld extends Error {
  override readonly name = 'ActionHeld';

  constructor(readonly request: ApprovalRequest) {
    super(`The action waits for approval as ${request.requestId}`);
  }
}
