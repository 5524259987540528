import { expect } from '@jest/globals';
import type { Test } from 'supertest';
import type { InvoiceView } from '../../apps/api/invoices/invoice.dto.js';
import type { TestWorkspace } from './system.js';

/** Requests of the workspace that a test is in. Each checks the status, and returns the body of the answer. */
export function requestsOf(workspace: () => TestWorkspace) {
  const checked = async (path: string, status: number, request: Test) => {
    const answer = await request;
    const body = status === 204 ? answer.body : expect.anything();
    expect({ path, status: answer.status, body: answer.body }).toEqual({ path, status, body });
    return answer.body;
  };
  const get = (path: string, status = 200) => checked(path, status, workspace().http.get(path));
  const post = (path: string, body: object = {}, status = 200) =>
    checked(path, status, workspace().http.post(path, body));
  const patch = (path: string, body: object, status = 200) =>
    checked(path, status, workspace().http.patch(path, body));
  const put = (path: string, body: object, status = 200) =>
    checked(path, status, workspace().http.put(path, body));
  const remove = (path: string, status = 204) => checked(path, status, workspace().http.delete(path));
  const create = (path: string, body: object = {}) => post(path, body, 201);
  /** The customer's invoices, oldest first. */
  const invoicesOf = async (customerId: string): Promise<InvoiceView[]> =>
    (await get(`/v1/invoices?customer_id=${customerId}&page_size=100`)).data.toReversed();
  const newestInvoice = async (customerId: string): Promise<InvoiceView> =>
    (await get(`/v1/invoices?customer_id=${customerId}`)).data[0];
  return { get, post, patch, put, remove, create, invoicesOf, newestInvoice };
}
