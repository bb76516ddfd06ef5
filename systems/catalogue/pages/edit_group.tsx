// The form of a group.
import * as catalogue from "generated/fus-main";
import { useState } from "preact/hooks";
import { mayForAll } from "web/rights";
import { service } from "web/session";
import { Dialog } from "web/ui/dialog";
import { Field } from "web/ui/form";
import { say } from "web/ui/toast";
import { inWords } from "./catalogue";
import { offered, permissionInWords } from "./permissions";

/** Whether only admins may change the group. */
export const isStaff = (name: string): name is "admin" | "manager" => name === "admin" || name === "manager";

function save(group: catalogue.Group | undefined, name: string, given: { description: string | null; permissions: string[] }): Promise<catalogue.Group> {
  if (isStaff(name)) return catalogue.setStaffGroup(service, { name, ...given });
  return group ? catalogue.updateGroup(service, { name, ...given }) : catalogue.createGroup(service, { name, ...given });
}

export function EditGroup({ group, onClose, onSaved }: { group?: catalogue.Group; onClose: () => void; onSaved: (group: catalogue.Group) => void }) {
  const [name, setName] = useState(group?.name ?? "");
  const [description, setDescription] = useState(group?.description ?? "");
  const [permissions, setPermissions] = useState(group?.permissions ?? []);
  const [wrong, setWrong] = useState("");
  // A person gives only what they have; what the group has already stays visible.
  const choices = [...new Set([...offered.filter(mayForAll), ...(group?.permissions ?? [])])];
  const submit = (event: Event): void => {
    event.preventDefault();
    setWrong("");
    save(group, name.trim(), { description: description.trim() || null, permissions }).then(
      (saved) => (say(`The group ${saved.name} is saved.`), onClose(), onSaved(saved)),
      (error) => setWrong(error instanceof catalogue.Refused && error.refusal === "ALREADY_EXISTS" ? "There is a group with this name." : inWords(error)),
    );
  };
  const toggle = (one: string): void => setPermissions(permissions.includes(one) ? permissions.filter((other) => other !== one) : [...permissions, one]);
  return (
    <Dialog title={group ? `Edit ${group.name}` : "Create a group"} onClose={onClose}>
      <form class="form" onSubmit={submit}>
        {!group && (
          <Field label="Name" whole>
            {(id) => <input {...id} name="name" required maxLength={100} pattern="[^#]+" title="A name without #" autofocus value={name} onInput={(e) => setName(e.currentTarget.value)} />}
          </Field>
        )}
        <Field label="Description" whole>
          {(id) => <input {...id} name="description" maxLength={1000} value={description} onInput={(e) => setDescription(e.currentTarget.value)} />}
        </Field>
        <fieldset class="whole choices">
          <legend>Its members may</legend>
          {choices.map((one) => (
            <label key={one}>
              <input type="checkbox" checked={permissions.includes(one)} onChange={() => toggle(one)} />
              {permissionInWords(one)}
            </label>
          ))}
        </fieldset>
        {wrong && <p class="notice bad whole" role="alert">{wrong}</p>}
        <div class="form-end">
          <button class="button" type="button" onClick={onClose}>
            Cancel
          </button>
          <button class="button primary" type="submit">
            Save
          </button>
        </div>
      </form>
    </Dialog>
  );
}
