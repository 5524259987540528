import { expect } from '@jest/globals';
import type { InvoiceView } from '../../apps/api/invoices/invoice.dto.js';
import type { TestWorkspace } from './system.js';

/** Requests of the workspace that a test is in. Each checks the status, and returns the body of the answer. */
export function requestsOf(workspace: () => TestWorkspace) {
  const get = async (path: string) => (await workspace().http.get(path).expect(200)).body;
  const post = async (path: string, body: object = {}, status = 200) => {
    const answer = await workspace().http.post(path, body);
    expect({ path, status: answer.status, body: answer.body }).toEqual({
      path,
      status,
      body: expect.anything(),
    });
    return answer.body;
  };
  const create = (path: string, body: object = {}) => post(path, body, 201);
  /** The customer's invoices, oldest first. */
  const invoicesOf = async (customerId: string): Promise<InvoiceView[]> =>
    (await get(`/v1/invoices?customer_id=${customerId}&page_size=100`)).data.toReversed();
  const newestInvoice = async (customerId: string): Promise<InvoiceView> =>
    (await get(`/v1/invoices?customer_id=${customerId}`)).data[0];
  return { get, post, create, invoicesOf, newestInvoice };
}
