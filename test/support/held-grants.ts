import { addUser } from './second-user.ts';
import type { System, TestWorkspace } from './system.ts';

/** Makes a number of requests for approval, of grants to this customer of the credit type `ai-credits`, and answers their ids. */
export async function holdGrants(
  system: System,
  workspace: TestWorkspace,
  customerId: string,
  count = 1,
): Promise<string[]> {
  const { http } = workspace;
  await addUser(system, workspace, 'finance');
  await http.put('/v1/approvals/policies/credit.grant', { enabled: true }).expect(200);
  const ids: string[] = [];
  for (let n = 1; n <= count; n++) {
    const path = `/v1/customers/${customerId}/wallets/ai-credits/grants`;
    ids.push(((await http.post(path, { amount: n }).expect(202)).body as { id: string }).id);
  }
  await http.put('/v1/approvals/policies/credit.grant', { enabled: false }).expect(200);
  return ids;
}
