// The generated headers in use: the systems of designs/ on a database in memory, by their types alone.
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tavola/database.h>

// clang-format off: of the build folder
#include <InventorySystem.h>
#include <aura-historia-data.h>
#include <clinic.h>
#include <fus-main.h>
#include <text-analyzer-history.h>
// clang-format on

namespace {

using namespace tavola::literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;

// Returns the value of a result that must have one.
template <class T>
T take(tavola::Result<T> result) {
  if (!result) {
    ADD_FAILURE() << result.error().message();
    return T{};
  }
  return *std::move(result);
}

template <class System>
class Running {
 public:
  Running() : database_(tavola::open_in_memory()) {
    auto opened = System::open(*database_);
    EXPECT_TRUE(opened) << (opened ? "" : opened.error().message());
    if (opened) system_ = *std::move(opened);
    EXPECT_THAT(take(system_->prepare_table()), IsEmpty());
  }
  const System* operator->() const { return &*system_; }
  System& operator*() { return *system_; }
  tavola::Database& database() { return *database_; }

 private:
  std::unique_ptr<tavola::Database> database_;
  std::optional<System> system_;
};

// ---- InventorySystem ----

namespace inv = inventory_system;

class Inventory : public testing::Test {
 protected:
  void SetUp() override {
    take(shops->createShop({.shopId = "s1", .name = "Corner Shop", .ownerId = "anna"}));
    take(shops->createProduct({.shopId = "s1",
                               .productId = "p1",
                               .name = "Lamp",
                               .sku = "SKU-001",
                               .category = "Light",
                               .unitPrice = 29.99_n,
                               .currentStock = 10,
                               .reorderThreshold = 3}));
  }
  tavola::Result<inv::Sale> sell(const std::string& sale, std::int64_t quantity) {
    return shops->recordSale({.shopId = "s1", .productId = "p1", .quantity = quantity, .saleId = sale});
  }
  Running<inv::InventorySystem> shops;
};

TEST_F(Inventory, GetsWhatWasCreated) {
  const auto product = take(shops->getProduct({.shopId = "s1", .productId = "p1"}));
  ASSERT_TRUE(product);
  EXPECT_EQ(product->name, "Lamp");
  EXPECT_EQ(product->unitPrice, 29.99_n);
  EXPECT_THAT(product->currentStock, Optional(10));
  EXPECT_FALSE(product->deletedAt);
  EXPECT_EQ(take(shops->getProduct({.shopId = "s1", .productId = "p2"})), std::nullopt);
}

TEST_F(Inventory, RecordsASaleOnceHoweverOftenItIsSent) {
  const inv::Sale sale = take(sell("a", 2));
  EXPECT_THAT(sale.totalAmount, Optional(59.98_n));
  EXPECT_THAT(sale.productName, Optional(std::string("Lamp")));
  EXPECT_EQ(take(sell("a", 2)).timestamp, sale.timestamp);
  EXPECT_THAT(take(shops->getProduct({.shopId = "s1", .productId = "p1"}))->currentStock, Optional(8));

  const auto transactions = take(shops->productHistory({.productId = "p1"}).all());
  ASSERT_EQ(transactions.size(), 1);
  EXPECT_EQ(transactions.front().type, inv::Transaction::Type::OUT);
  EXPECT_EQ(transactions.front().quantityChange, -2);
}

TEST_F(Inventory, RefusalsHaveNames) {
  const auto too_many = sell("a", 11);
  ASSERT_FALSE(too_many);
  EXPECT_EQ(inv::refusal<inv::RecordSaleRefusal>(too_many.error()),
            inv::RecordSaleRefusal::INSUFFICIENT_STOCK);

  take(sell("b", 1));
  const auto other = sell("b", 2);
  ASSERT_FALSE(other);
  EXPECT_EQ(inv::refusal<inv::RecordSaleRefusal>(other.error()), inv::RecordSaleRefusal::DIFFERENT_REQUEST);

  const auto taken =
      shops->createProduct({.shopId = "s1", .name = "Other", .sku = "SKU-001", .unitPrice = 1});
  ASSERT_FALSE(taken);
  EXPECT_EQ(inv::refusal<inv::CreateProductRefusal>(taken.error()), inv::CreateProductRefusal::SKU_TAKEN);
}

TEST_F(Inventory, AWrongParameterIsNoRefusal) {
  const auto none = sell("a", 0);
  ASSERT_FALSE(none);
  EXPECT_EQ(inv::refusal<inv::RecordSaleRefusal>(none.error()), std::nullopt);
  ASSERT_NE(tavola::bad_parameter_of(none.error()), nullptr);
  EXPECT_EQ(*tavola::bad_parameter_of(none.error()), "quantity");
}

TEST_F(Inventory, PatternsAreRangesOverAllPages) {
  for (int i = 0; i < 30; ++i) {
    const std::string id = "x" + std::to_string(100 + i);
    take(shops->createProduct({.shopId = "s1",
                               .productId = id,
                               .name = "Thing",
                               .sku = id,
                               .unitPrice = 1,
                               .description = std::string(100'000, 'x')}));
  }
  std::size_t count = 0;
  for (const tavola::Result<inv::Product>& product : shops->listProducts({.shopId = "s1"})) {
    ASSERT_TRUE(product) << product.error().message();
    EXPECT_EQ(product->shopId, "s1");
    ++count;
  }
  EXPECT_EQ(count, 31);
}

TEST_F(Inventory, AnErrorIsTheLastElement) {
  int count = 0;
  for (const tavola::Result<inv::Product>& product : shops->listProducts({.shopId = "a#b"})) {
    EXPECT_FALSE(product);
    ++count;
  }
  EXPECT_EQ(count, 1);
}

TEST_F(Inventory, KeysAreThoseOfTheTable) {
  EXPECT_EQ(inv::Product::key("s1", "p1"), (tavola::Item{{"PK", "SHOP#s1"}, {"SK", "PRODUCT#p1"}}));
  EXPECT_EQ(inv::Sale::key("s1", "2024-01-01T00:00:00Z", "a"),
            (tavola::Item{{"PK", "SHOP#s1"}, {"SK", "SALE#2024-01-01T00:00:00Z#a"}}));
}

// ---- fus-main ----

TEST(Keys, AreMadeOfTextNumbersAndTruth) {
  EXPECT_EQ(tavola::typed::text("abc"), "abc") << "and not true, which a pointer would be";
  EXPECT_EQ(tavola::typed::text(-7), "-7");
  EXPECT_EQ(tavola::typed::text(2.5_n), "2.5");
  EXPECT_EQ(tavola::typed::text(true), "true");
}

TEST(FusMain, RatingsAreSummedUpOnTheSite) {
  Running<fus_main::FusMain> sites;
  take(sites->createSite(
      {.site = "mdn", .url = "https://developer.mozilla.org/", .title = "MDN", .tags = {{"css", "html"}}}));
  take(sites->rateSite({.site = "mdn", .user = "anna", .stars = 3}));
  take(sites->rateSite({.site = "mdn", .user = "ben", .stars = 4}));
  take(sites->rateSite({.site = "mdn", .user = "anna", .stars = 5, .note = "On second thoughts"}));

  const auto site = take(sites->getSite({.site = "mdn"}));
  ASSERT_TRUE(site);
  EXPECT_THAT(site->ratingCount, Optional(2));
  EXPECT_THAT(site->ratingSum, Optional(9));
  const auto ratings = take(sites->myRatings({.user = "anna"}).all());
  ASSERT_EQ(ratings.size(), 1);
  EXPECT_EQ(ratings.front().stars, 5);
  EXPECT_EQ(ratings.front().site, "mdn");
  const auto rating = take(sites->siteRating({.site = "mdn"}).all());
  ASSERT_EQ(rating.size(), 1);
  EXPECT_EQ(rating.front().ratings, 2);
  EXPECT_EQ(rating.front().average, tavola::Number::parse("4.5").value());
  const auto with_css = take(sites->sitesByTag({.tag = "css"}).all());
  ASSERT_EQ(with_css.size(), 1);
  EXPECT_EQ(with_css.front().title, "MDN");

  const auto nowhere = sites->rateSite({.site = "none", .user = "anna", .stars = 1});
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(fus_main::refusal<fus_main::RateSiteRefusal>(nowhere.error()),
            fus_main::RateSiteRefusal::SITE_NOT_FOUND);
}

// ---- text-analyzer-history ----

TEST(TextAnalyzer, OfTwoWorkersOneGetsTheFile) {
  namespace text = text_analyzer_history;
  Running<text::TextAnalyzerHistory> files;
  const text::File file = take(files->presign({.ownerId = "anna",
                                               .fingerprint = "abc",
                                               .s3Bucket = "texts",
                                               .s3Key = "a",
                                               .originalFileName = "a.txt"}));
  EXPECT_EQ(file.status, text::File::Status::PENDING);
  EXPECT_EQ(take(files->claim({.fileId = file.fileId})).status, text::File::Status::IN_PROGRESS);

  const auto second = files->claim({.fileId = file.fileId});
  ASSERT_FALSE(second);
  EXPECT_EQ(text::refusal<text::ClaimRefusal>(second.error()), text::ClaimRefusal::WRONG_STATE);

  const text::File done = take(files->complete({.fileId = file.fileId,
                                                .result = {.totalWords = 3,
                                                           .uniqueWords = 2,
                                                           .avgWordLength = 2.33_n,
                                                           .top10Words = {{.word = "b", .count = 1}}}}));
  ASSERT_TRUE(done.result);
  EXPECT_EQ(done.result->avgWordLength, 2.33_n);
  ASSERT_EQ(done.result->top10Words.size(), 1);
  EXPECT_THAT(done.result->top10Words.front().word, Optional(std::string("b")));

  const auto history = take(files->listFilesByOwner({.ownerId = "anna"}).all());
  ASSERT_EQ(history.size(), 1);
  EXPECT_EQ(history.front().status, text::File::Status::COMPLETED);
}

TEST(TextAnalyzer, AKnownUploadIsTheFileThatExists) {
  namespace text = text_analyzer_history;
  Running<text::TextAnalyzerHistory> files;
  const auto announce = [&](const std::string& owner, const std::string& fingerprint,
                            const std::string& name) {
    return files->presign({.ownerId = owner,
                           .fingerprint = fingerprint,
                           .s3Bucket = "texts",
                           .s3Key = "a",
                           .originalFileName = name});
  };
  const text::File file = take(announce("anna", "abc", "a.txt"));
  take(files->claim({.fileId = file.fileId}));
  const text::File found = take(announce("anna", "abc", "b.txt"));
  EXPECT_EQ(found.fileId, file.fileId);
  EXPECT_EQ(found.originalFileName, "a.txt");
  EXPECT_EQ(found.status, text::File::Status::IN_PROGRESS);

  take(announce("anna:abc", "d", "c.txt"));
  const auto foreign = announce("anna", "abc:d", "c.txt");
  ASSERT_FALSE(foreign);
  EXPECT_EQ(text::refusal<text::PresignRefusal>(foreign.error()), text::PresignRefusal::ALREADY_EXISTS);
  EXPECT_EQ(take(files->listFilesByOwner({.ownerId = "anna"}).all()).size(), 1);
}

// ---- aura-historia-data ----

TEST(AuraHistoria, AShopTellsItsStates) {
  namespace aura = aura_historia_data;
  Running<aura::AuraHistoriaData> registry;
  EXPECT_EQ(take(registry->registerShop({.domain = "www.example.co.uk", .shop_country = "DE"})).crawl,
            aura::Shop::Crawl::NEVER);
  take(registry->startCrawl({.domain = "www.example.co.uk"}));
  const auto shop = take(registry->getShop({.domain = "www.example.co.uk"}));
  ASSERT_TRUE(shop);
  EXPECT_EQ(shop->crawl, aura::Shop::Crawl::PROGRESS);
  EXPECT_EQ(shop->core_domain_name, "example");
  EXPECT_EQ(take(registry->crawlsInProgress({.shop_country = "DE"}).all()).size(), 1);
  EXPECT_THAT(take(registry->neverCrawled({.shop_country = "COUNTRY#DE"}).all()), IsEmpty());
}

// ---- Designs that are wrong ----

TEST(RunningDesign, TellsEverythingThatIsWrongWithADesign) {
  const auto database = tavola::open_in_memory();
  const auto opened = tavola::RunningDesign::open(*database, "design: 1\nname: x\ntabel: {}\nfoo: 1\n",
                                                  {.file_name = "x.yaml"});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code(), tavola::ErrorCode::Validation);
  EXPECT_THAT(opened.error().message(), HasSubstr("x.yaml:3:1: "));
  EXPECT_THAT(opened.error().message(), HasSubstr("x.yaml:4:1: "));
}

TEST(RunningDesign, TakesAnotherTableName) {
  const auto database = tavola::open_in_memory();
  auto system = inv::InventorySystem::open(*database, {.table_name = "Elsewhere"});
  ASSERT_TRUE(system);
  take(system->prepare_table());
  const auto tables = take(database->list_tables({}));
  EXPECT_THAT(tables.table_names, ElementsAre("Elsewhere"));
}

TEST(RunningDesign, TellsWhatIsNotThere) {
  const auto database = tavola::open_in_memory();
  auto design = tavola::RunningDesign::open(*database, inv::InventorySystem::text());
  ASSERT_TRUE(design);
  EXPECT_THAT(design->ask("listProduct", {}).error().message(), HasSubstr("did you mean listProducts?"));
  EXPECT_THAT(design->perform("recordSales", {}).error().message(), HasSubstr("did you mean recordSale?"));
}

// ---- clinic ----

// Registers and corrects a patient, and returns the images in the trail.
std::vector<tavola::Map> trail_of(const clinic::Clinic& system) {
  const clinic::Register anna{.id = "p1",
                              .name = "Anna",
                              .code = "mango",
                              .weight = 60,
                              .contact = clinic::Register::Contact{.city = "Rome", .phone = "+491"},
                              .file = clinic::Register::File{.word = "mango"}};
  take(system.register_(anna));
  take(system.correct({.id = "p1", .code = "mango-tree"}));
  std::vector<tavola::Map> images;
  for (const auto& entry : system.trail({.what = "PATIENT#p1|META"})) {
    if (!entry) ADD_FAILURE() << entry.error().message();
    for (const auto& image : {entry->before, entry->after}) {
      if (image) images.push_back(*image);
    }
  }
  return images;
}

void expect_masked(const std::vector<tavola::Map>& images) {
  EXPECT_EQ(images.size(), 3);
  for (const tavola::Map& image : images) {
    for (const char* name : {"code", "loud", "weight", "file"})
      EXPECT_EQ(image.at(name), tavola::Value("***")) << name;
    EXPECT_EQ(image.at("contact"), tavola::Value(tavola::Map{{"city", "Rome"}, {"phone", "***"}}));
    EXPECT_EQ(image.at("name"), tavola::Value("Anna"));
  }
}

TEST(Clinic, ATrailOfAGovernedTableShowsNoSensitiveValue) {
  const Running<clinic::Clinic> system;
  expect_masked(trail_of(*system.operator->()));
}

TEST(Clinic, ATrailThatOperationsWriteShowsNoSensitiveValue) {
  const auto database = tavola::open_in_memory();
  using tavola::Type;
  ASSERT_TRUE(database->create_table(
      {.table_name = "clinic",
       .attribute_definitions = {{"PK", Type::String}, {"SK", Type::String}},
       .key_schema = {{"PK", tavola::KeyType::Hash}, {"SK", tavola::KeyType::Range}}}));
  const auto system = clinic::Clinic::open(*database);
  ASSERT_TRUE(system);
  expect_masked(trail_of(*system));
}

}  // namespace
