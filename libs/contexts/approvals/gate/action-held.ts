import type { ApprovalRequest } from '../requests/approval-request.js';

/** The action was not done. It waits for approval as this request says. The API answers 202 with the request. */
export class ActionHeld extends Error {
  override readonly name = 'ActionHeld';

  constructor(readonly request: ApprovalRequest) {
    super(`The action waits for approval as ${request.requestId}`);
  }
}
