import type { Type } from '@nestjs/common';
import type { Instant } from '#libs/kernel/core';

/** The customer whose data is exported. */
export interface ExportedCustomer {
  readonly workspaceId: string;
  readonly customerId: string;
  /** The instant of the export, by the workspace's clock. */
  readonly at: Instant;
}

/** Reads one part of what is stored about a customer. The dependencies of a CustomerDataSource must be global providers of the API. */
export interface CustomerDataSource {
  /**
   * Yields the entries of the part, in a stable order. Each page of entries is read when the caller asks for it, so memory does not grow
   * with the number of entries. Holds no connection between pages. Entries have no secrets.
   */
  entries(customer: ExportedCustomer): AsyncIterable<object>;
}

/** A part of the export of a customer's data. */
export interface CustomerDataPart {
  /** The name of the part, which names a property of the exported document and a file of the exported archive. */
  readonly name: string;
  readonly source: Type<CustomerDataSource>;
  /** True if a customer has exactly one entry, which is the value of the property. By default the property has a list of entries. */
  readonly single?: true;
  /** True if the entries are resources that the audit trail names by their `id`. */
  readonly isAudited?: true;
  /** The columns of the part, if the archive contains the part as a CSV file. By default it is JSON. */
  readonly columns?: readonly string[];
}
