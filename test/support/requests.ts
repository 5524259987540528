import type { InvoiceView } from '../../apps/api/invoices/invoice.dto.js';
import type { TestWorkspace } from './system.js';

/** Requests of the workspace that a test is in, with what is answered when they succeed. */
export function requestsOf(workspace: () => TestWorkspace) {
  const get = async (path: string) => (await workspace().http.get(path).expect(200)).body;
  const post = async (path: string, body: object = {}, status = 200) =>
    (await workspace().http.post(path, body).expect(status)).body;
  /** The customer's invoices, oldest first. */
  const invoicesOf = async (customerId: string): Promise<InvoiceView[]> =>
    (await get(`/v1/invoices?customer_id=${customerId}&page_size=100`)).data.toReversed();
  return { get, post, invoicesOf };
}
