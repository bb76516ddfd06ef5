// The editor of a design that no server knows yet: a draft from the items of a table, or a first one to begin with.
import { useState } from "preact/hooks";
import type { ViewProps } from "../../routes";
import { draft } from "./draft";
import { EditorPage } from "./editor_page";

/** A design that can be applied as it is, and says in its comments what its parts are. */
const first = (table: string): string => `design: 1
name: ${table}
title: What this table is for
table: { name: ${table}, hash: PK, range: SK }

# What lies in the table: each entity has a key made from its fields.
entities:
  Customer:
    key: { PK: CUSTOMER#<customerId>, SK: META }
    ids: { customerId: string }
    attributes:
      name: { type: string, required: true }

# The questions that programs ask, by name.
patterns:
  customer: { get: Customer }

# The changes that programs make: each takes effect completely, or is refused by name.
operations:
  addCustomer: { steps: [{ put: Customer, exists: false }] }
`;

export default function NewDesign({ query }: ViewProps) {
  const table = query.get("table") ?? "";
  const [text] = useState(() => draft.peek() ?? first(table || "my-table"));
  const name = table || "new";
  return (
    <div class="page design-new">
      <h1>New design</h1>
      <EditorPage name={`new ${name}`} isNew served={text} file={`${name}.yaml`} cases="" />
    </div>
  );
}
