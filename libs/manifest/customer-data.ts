import type { Type } from '@nestjs/common';
import type { Instant } from '#libs/kernel/core';

/** The customer whose data is exported. */
export interface ExportedCustomer {
  readonly workspaceId: string;
  readonly customerId: string;
  /** The instant of the export, by the workspace's clock. */
  readonly at: Instant;
}

/** Reads one part of what is stored about a customer. Its dependencies are global providers of the API. */
export interface CustomerDataSource {
  /**
   * Yields the entries of the part, in a stable order. Reads a page when the caller asks for it, so memory does not grow with the number of
   * entries. Holds no connection between pages. Entries have no secrets.
   */
  entries(customer: ExportedCustomer): AsyncIterable<object>;
}

/** A part of the export of a customer's data. */
export interface CustomerDataPart {
  /** The name of the part: a property of the document and a file in the archive. */
  readonly name: string;
  readonly source: Type<CustomerDataSource>;
  /** A customer has exactly one entry, which is the value of the property. By default the property has a list of entries. */
  readonly single?: true;
  /** The entries are resources that the audit trail names by their `id`. */
  readonly isAudited?: true;
  /** The columns, if the archive has the part as CSV. By default it is JSON. */
  readonly columns?: readonly string[];
}
