// What the permissions of a group allow, in words. A permission is the name of a pattern or an operation, read:Entity or write:Entity.
const words: Record<string, string> = {
  createSite: "Add sites",
  updateSite: "Change sites",
  deleteSite: "Delete sites with their comments",
  removeComment: "Delete anybody's comments (moderators)",
  ratingsByStars: "See who gave how many stars",
  createGroup: "Found groups",
  updateGroup: "Change groups and their permissions",
  deleteGroup: "Delete groups",
  addMember: "Take people into groups",
  removeMember: "Take people out of groups",
  listGroups: "See all groups",
  getGroup: "See one group",
  groupMembers: "See the members of groups",
  setStaffGroup: "Describe the groups of admins and managers",
  appoint: "Make people admins or managers",
  dismiss: "Dismiss admins and managers",
};

const everybodys: Record<string, string> = {
  rateSite: "Rate sites, in their own name", removeRating: "Take their own ratings back", myRating: "See their own rating of a site", myRatings: "See their own ratings",
  addComment: "Comment, in their own name", editComment: "Change their own comments", myComment: "See one of their own comments", myComments: "See their own comments on a site",
  allMyComments: "See all their own comments", myGroups: "See the groups of a person",
  getSite: "See a site", listSites: "See all sites", newestSites: "See the newest sites", sitesByTag: "See the sites with a tag", siteIdsByTag: "See which sites have a tag",
  siteRating: "See the average rating of a site", starsOfSite: "See how many people gave a site how many stars", commentsForSite: "See the comments on a site",
};

/** Those that one offers for a group: what not everybody who is logged in may do anyway. */
export const offered = Object.keys(words);

export function permissionInWords(permission: string): string {
  const known = words[permission] ?? everybodys[permission];
  if (known) return known;
  const [verb, entity] = permission.split(":");
  if (entity !== undefined) return `${verb === "read" ? "Read" : "Write"} items of ${entity} through DynamoDB's protocol`;
  return permission;
}
