// Groups: what their members may do, and who the members are.
import * as catalogue from "generated/fus-main";
import { useState } from "preact/hooks";
import { dayOf } from "web/format";
import { useLoad, usePages } from "web/load";
import { loadRights, may } from "web/rights";
import { query, setQuery } from "web/route";
import { service, session } from "web/session";
import { Confirm } from "web/ui/dialog";
import { Field } from "web/ui/form";
import { Icon } from "web/ui/icons";
import { Badge, Empty, Panel, Problem, Table } from "web/ui/table";
import { say, sayError } from "web/ui/toast";
import { inWords } from "./catalogue";
import { EditGroup, isStaff } from "./edit_group";
import { permissionInWords } from "./permissions";

export function Groups() {
  const chosen = query.value.get("name");
  const [isFounding, setFounding] = useState(false);
  const { items, error, isLoading, more, again } = usePages((page) => catalogue.listGroupsPage(service, page), []);
  const group = items.find((one) => one.name === chosen);
  const changed = (): void => (again(), void loadRights().catch(sayError));
  if (chosen && group) return <GroupView group={group} onChanged={changed} />;
  return (
    <>
      <div class="page-head">
        <h1>Groups</h1>
        {may("createGroup") && (
          <button class="button primary" type="button" onClick={() => setFounding(true)}>
            <Icon name="plus" />
            Create a group
          </button>
        )}
      </div>
      {error && <Problem error={error} again={again} />}
      {isLoading && items.length === 0 && <div class="loading" role="progressbar" aria-label="Loading" />}
      {!isLoading && !error && items.length === 0 && (
        <Empty icon="people" title="No groups yet">
          <p>A group gives its members further permissions: editors, moderators.</p>
        </Empty>
      )}
      {items.length > 0 && (
        <Panel flush>
          <Table
            caption="Groups" rows={items} keyOf={(one) => one.name} more={more}
            columns={[
              { name: "Group", show: (one) => <><a href={`/groups?name=${encodeURIComponent(one.name)}`}><strong>{one.name}</strong></a><span class="sub">{one.description}</span></> },
              { name: "Its members may", show: (one) => <Permissions permissions={one.permissions} /> },
            ]}
          />
        </Panel>
      )}
      {isFounding && <EditGroup onClose={() => setFounding(false)} onSaved={(saved) => (changed(), setQuery({ name: saved.name }))} />}
    </>
  );
}

function Permissions({ permissions }: { permissions: string[] | undefined }) {
  if (!permissions || permissions.length === 0) return <span class="quiet">Nothing further</span>;
  return (
    <ul class="tags">
      {permissions.map((one) => (
        <li key={one} title={one}>
          <Badge>{permissionInWords(one)}</Badge>
        </li>
      ))}
    </ul>
  );
}

function GroupView({ group, onChanged }: { group: catalogue.Group; onChanged: () => void }) {
  const [open, setOpen] = useState<"edit" | "delete" | undefined>(undefined);
  const remove = (): void => {
    catalogue.deleteGroup(service, { name: group.name }).then(
      () => (say(`The group ${group.name} is deleted.`), setQuery({ name: "" }), onChanged()),
      (error) => say(inWords(error), { isBad: true }),
    );
  };
  const mayEdit = may(isStaff(group.name) ? "setStaffGroup" : "updateGroup");
  return (
    <>
      <a href="/groups">All groups</a>
      <div class="page-head">
        <h1>{group.name}</h1>
        {mayEdit && (
          <button class="button" type="button" onClick={() => setOpen("edit")}>
            Edit
          </button>
        )}
        {may("deleteGroup") && !isStaff(group.name) && (
          <button class="button danger" type="button" onClick={() => setOpen("delete")}>
            Delete
          </button>
        )}
      </div>
      {group.description && <p>{group.description}</p>}
      <Panel title="What its members may do">
        {isStaff(group.name) && <p class="quiet">{group.name === "admin" ? "Everything." : "Add, change and delete sites; found groups and choose their members."} Only admins choose its members.</p>}
        {(!isStaff(group.name) || (group.permissions ?? []).length > 0) && (
          <ul class="words">
            {(group.permissions ?? []).map((one) => (
              <li key={one}>
                {permissionInWords(one)} <code class="quiet">{one}</code>
              </li>
            ))}
            {(group.permissions ?? []).length === 0 && <li class="quiet">Nothing that other people may not.</li>}
          </ul>
        )}
      </Panel>
      <Members group={group.name} />
      {open === "edit" && <EditGroup group={group} onClose={() => setOpen(undefined)} onSaved={onChanged} />}
      {open === "delete" && <Confirm title={`Delete the group ${group.name}?`} text="Its members lose what it permits." yes="Delete" onClose={() => setOpen(undefined)} onYes={remove} />}
    </>
  );
}

function Members({ group }: { group: string }) {
  const [user, setUser] = useState("");
  const [wrong, setWrong] = useState("");
  const { state, again } = useLoad(async () => {
    const all: catalogue.Membership[] = [];
    for await (const one of catalogue.groupMembers(service, { name: group })) all.push(one);
    return all;
  }, [group]);
  const { value, error } = state.value;
  // Admins and managers are appointed and dismissed, by admins alone.
  const [take, leave] = isStaff(group) ? (["appoint", "dismiss"] as const) : (["addMember", "removeMember"] as const);
  const done = (words: string): void => (say(words), again(), void loadRights().catch(sayError));
  const add = (event: Event): void => {
    event.preventDefault();
    setWrong("");
    const member = { groupName: group, userId: user.trim(), addedBy: session.value?.user };
    catalogue[take](service, member as catalogue.AddMember & catalogue.Appoint).then(
      () => (setUser(""), done(`${member.userId} is in ${group}.`)),
      (why) => setWrong(why instanceof catalogue.Refused && why.refusal === "ALREADY_EXISTS" ? `${member.userId} is a member already.` : inWords(why)),
    );
  };
  const remove = (member: catalogue.Membership): void => {
    const { groupName, userId } = member;
    catalogue[leave](service, { groupName, userId } as catalogue.RemoveMember & catalogue.Dismiss).then(
      () => done(`${userId} has left ${groupName}.`),
      (why) => say(inWords(why), { isBad: true }),
    );
  };
  return (
    <Panel title="Members">
      <div class="stack">
        {may(take) && (
          <form class="search" onSubmit={add}>
            <Field label="User" wrong={wrong}>
              {(id) => <input {...id} name="userId" required maxLength={128} autocomplete="off" value={user} onInput={(e) => setUser(e.currentTarget.value)} />}
            </Field>
            <button class="button" type="submit">
              Add
            </button>
          </form>
        )}
        {error && <Problem error={error} again={again} />}
        {value && value.length === 0 && <p class="quiet">No members yet.</p>}
        {value && value.length > 0 && (
          <Table
            caption="Members" rows={value} keyOf={(one) => one.userId}
            columns={[
              { name: "User", show: (one) => <strong>{one.userId}</strong> },
              { name: "Since", show: (one) => dayOf(one.addedAt) },
              { name: "Added by", show: (one) => one.addedBy ?? "–" },
              { name: "Actions", isActions: true, show: (one) => may(leave) && <button class="button plain small danger" type="button" aria-label={`Remove ${one.userId}`} onClick={() => remove(one)}>Remove</button> },
            ]}
          />
        )}
      </div>
    </Panel>
  );
}
