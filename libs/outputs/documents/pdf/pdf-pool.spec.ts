import { describe, expect, it } from '@jest/globals';
import { PdfPool, type PdfRequest } from './pdf-pool.js';

/** A PDF that is made when the test says so. */
function heldPdf(text: string) {
  const held = Promise.withResolvers<Buffer>();
  let times = 0;
  const make = (): Promise<Buffer> => {
    times += 1;
    return held.promise;
  };
  return { make, finish: () => held.resolve(Buffer.from(text)), times: () => times };
}

const request = (of: Partial<PdfRequest> = {}): PdfRequest => ({
  workspaceId: 'acc_1',
  invoiceId: 'inv_1',
  document: 'invoice',
  madeFrom: [{ status: 'open' }],
  viaLink: true,
  ...of,
});

describe('the pool of PDFs', () => {
  it('makes a PDF once, until something that it is made from changes', async () => {
    const pool = new PdfPool();
    const open = heldPdf('open');
    const twenty = Array.from({ length: 20 }, () => pool.get(request(), open.make));
    open.finish();
    await Promise.all(twenty);
    // Equal values are enough, because each request reads the invoice anew.
    expect(await pool.get(request({ madeFrom: [{ status: 'open' }] }), open.make)).toEqual(
      Buffer.from('open'),
    );
    expect(open.times()).toBe(1);
    const paid = heldPdf('paid');
    paid.finish();
    expect(await pool.get(request({ madeFrom: [{ status: 'paid' }] }), paid.make)).toEqual(
      Buffer.from('paid'),
    );
  });

  it('gives a request the PDF of its own values while an older one is being made', async () => {
    const pool = new PdfPool();
    const [open, paid] = [heldPdf('open'), heldPdf('paid')];
    const older = pool.get(request(), open.make);
    const newer = pool.get(request({ madeFrom: [{ status: 'paid' }] }), paid.make);
    open.finish();
    paid.finish();
    expect((await Promise.all([older, newer])).map(String)).toEqual(['open', 'paid']);
  });

  it('makes a PDF for a user or for mail while those for links wait', async () => {
    const pool = new PdfPool();
    const first = heldPdf('first');
    const second = heldPdf('second');
    const byLinks = [
      pool.get(request({ invoiceId: 'inv_1' }), first.make),
      pool.get(request({ workspaceId: 'acc_2', invoiceId: 'inv_2' }), second.make),
    ];
    const forUser = heldPdf('for a user');
    forUser.finish();
    const user = pool.get(request({ invoiceId: 'inv_3', viaLink: false }), forUser.make);
    expect(String(await user)).toBe('for a user');
    expect(second.times()).toBe(0);
    first.finish();
    second.finish();
    await Promise.all(byLinks);
  });

  it('refuses the links of one workspace that ask for too much, and no others', async () => {
    const pool = new PdfPool();
    const pdf = heldPdf('x');
    const flood = Array.from({ length: 40 }, (_, i) =>
      pool.get(request({ invoiceId: `inv_${i}` }), pdf.make).then(
        () => 'made',
        ({ code }: { code: string }) => code,
      ),
    );
    const other = pool.get(request({ workspaceId: 'acc_2' }), pdf.make);
    pdf.finish();
    expect(String(await other)).toBe('x');
    const outcomes = await Promise.all(flood);
    expect(outcomes.filter((outcome) => outcome === 'made')).toHaveLength(11);
    expect(outcomes.filter((outcome) => outcome === 'busy')).toHaveLength(29);
  });

  it('makes a PDF again that could not be made', async () => {
    const pool = new PdfPool();
    await expect(pool.get(request(), () => Promise.reject(new Error('no browser')))).rejects.toThrow(
      'no browser',
    );
    expect(String(await pool.get(request(), () => Promise.resolve(Buffer.from('made'))))).toBe('made');
  });
});
