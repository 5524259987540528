import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { customerDataParts, type ExportedCustomer } from '#libs/manifest';
import { joinIntoChunks, jsonList } from './json-text.js';

/** Returns the first fields of an export, which the JSON document and the ZIP archive have in common. */
export function firstFieldsOfExport({ workspaceId, customerId, at }: ExportedCustomer) {
  return { format: 'countinghouse.customer-data', version: 1, exportedAt: at, workspaceId, customerId };
}

/** Writes the data of a customer as one JSON document. */
@Injectable()
export class JsonExportWriter {
  constructor(private readonly modules: ModuleRef) {}

  /**
   * Returns the document as a stream. The data is read from the database only as fast as the client takes the stream. A failure destroys
   * the stream. When the stream is destroyed, no further data is read.
   */
  stream(customer: ExportedCustomer): Readable {
    return Readable.from(joinIntoChunks(this.text(customer)), { objectMode: false });
  }

  private async *text(customer: ExportedCustomer): AsyncGenerator<string> {
    yield JSON.stringify(firstFieldsOfExport(customer)).slice(0, -1);
    for (const { name, source, single } of customerDataParts()) {
      const entries = this.modules.get(source, { strict: false }).entries(customer);
      yield `,\n${JSON.stringify(name)}:`;
      if (single) for await (const entry of entries) yield JSON.stringify(entry);
      else yield* jsonList(entries);
    }
    yield ',\n"complete":true}\n';
  }
}
