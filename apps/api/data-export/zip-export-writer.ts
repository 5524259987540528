import { PassThrough, Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { ZipFile } from 'yazl';
import { BYTE_ORDER_MARK, csvLine } from '#libs/kernel/core';
import { customerDataParts, type CustomerDataPart, type ExportedCustomer } from '#libs/manifest';
import { CustomerDocumentMaker } from './customer-document-maker.js';
import { firstFieldsOfExport } from './document.js';
import { joinIntoChunks, jsonList } from './json-text.js';

type Chunks = AsyncIterable<string | Uint8Array>;

/** Writes the data of a customer as a ZIP archive: a file for each part, and the PDFs of invoices and credit notes. */
@Injectable()
export class ZipExportWriter {
  constructor(
    private readonly modules: ModuleRef,
    private readonly documents: CustomerDocumentMaker,
  ) {}

  /**
   * Returns the archive as a stream. The files of the archive are made one after the other, as fast as the client reads them. A failure
   * destroys the stream. When the stream is destroyed, no further files are made. With `bom`, CSV files begin with a byte order mark.
   */
  stream(customer: ExportedCustomer, { bom }: { bom: boolean }): Readable {
    const output = new PassThrough();
    void this.write(customer, output, bom).catch((error: unknown) => output.destroy(error as Error));
    return output;
  }

  private async write(customer: ExportedCustomer, output: PassThrough, bom: boolean): Promise<void> {
    const zip = new ZipFile();
    const sent = pipeline(zip.outputStream, output);
    const broken = new AbortController();
    sent.catch((error: unknown) => broken.abort(error));
    const mtime = new Date(customer.at);
    const add = async (name: string, chunks: Chunks): Promise<void> => {
      broken.signal.throwIfAborted();
      const file = Readable.from(chunks, { objectMode: false, signal: broken.signal });
      // The archive reads the file only after all files before it, and only as fast as the client reads the archive.
      zip.addReadStream(file, name, { mtime });
      await finished(file);
    };
    await add('export.json', once(`${JSON.stringify(firstFieldsOfExport(customer))}\n`));
    for (const part of customerDataParts())
      await add(
        `${part.name}.${part.columns ? 'csv' : 'json'}`,
        joinIntoChunks(this.text(part, customer, bom)),
      );
    for await (const { name, pdf } of this.documents.documentsOf(customer)) await add(name, once(pdf));
    zip.end();
    await sent;
  }

  private async *text(
    { source, single, columns }: CustomerDataPart,
    customer: ExportedCustomer,
    bom: boolean,
  ): AsyncGenerator<string> {
    const entries = this.modules.get(source, { strict: false }).entries(customer);
    if (columns && bom) yield BYTE_ORDER_MARK;
    if (columns) yield* csvLines(columns, entries as AsyncIterable<Record<string, unknown>>);
    else if (single) for await (const entry of entries) yield JSON.stringify(entry);
    else yield* jsonList(entries);
  }
}

async function* csvLines(
  columns: readonly string[],
  entries: AsyncIterable<Record<string, unknown>>,
): AsyncGenerator<string> {
  yield csvLine(columns);
  for await (const entry of entries) yield csvLine(columns.map((column) => cellOf(entry[column])));
}

/** Returns the text of a CSV cell; an object becomes JSON text. */
function cellOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

async function* once<Chunk>(chunk: Chunk): AsyncGenerator<Chunk> {
  yield chunk;
}
