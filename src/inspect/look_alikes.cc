#include "inspect/look_alikes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_map>

namespace cavs::inline v0_1 {
namespace {

/// A mark, and the characters with this mark, each followed by its base character (from UnicodeData.txt).
struct Marked {
  char32_t mark;
  std::u16string_view pairs;
};
constexpr Marked kMarked[] = {
    {0x0300,
     u"ÀAÈEÌIÒOÙUàaèeìiòoùuǛÜǜüǸNǹnЀЕЍИѐеѝиḔĒḕēṐŌṑōẀWẁwẦÂầâẰĂằăỀÊềêỒÔồôỜƠờơỪƯừưỲYỳyἂἀἃἁἊἈἋἉἒἐἓἑἚἘἛἙἢἠ"
     u"ἣἡἪἨἫἩἲἰἳἱἺἸἻἹὂὀὃὁὊὈὋὉὒὐὓὑὛὙὢὠὣὡὪὨὫὩὰαὲεὴηὶιὸοὺυὼωᾺΑῈΕῊΗ῍᾿ῒϊῚΙ῝῾ῢϋῪΥ῭¨ῸΟῺΩ"},
    {0x0301,
     u"ÁAÉEÍIÓOÚUÝYáaéeíióoúuýyĆCćcĹLĺlŃNńnŔRŕrŚSśsŹZźzǗÜǘüǴGǵgǺÅǻåǼÆǽæǾØǿø΅¨ΆΑΈΕΉΗΊΙΌΟΎΥΏΩΐϊάαέεήηίι"
     u"ΰϋόούυώωϓϒЃГЌКѓгќкḈÇḉçḖĒḗēḮÏḯïḰKḱkḾMḿmṌÕṍõṒŌṓōṔPṕpṸŨṹũẂWẃwẤÂấâẮĂắăẾÊếêỐÔốôỚƠớơỨƯứưἄἀἅἁἌἈἍἉἔἐἕἑ"
     u"ἜἘἝἙἤἠἥἡἬἨἭἩἴἰἵἱἼἸἽἹὄὀὅὁὌὈὍὉὔὐὕὑὝὙὤὠὥὡὬὨὭὩ῎᾿῞῾"},
    {0x0302, u"ÂAÊEÎIÔOÛUâaêeîiôoûuĈCĉcĜGĝgĤHĥhĴJĵjŜSŝsŴWŵwŶYŷyẐZẑzẬẠậạỆẸệẹỘỌộọ"},
    {0x0303, u"ÃAÑNÕOãañnõoĨIĩiŨUũuṼVṽvẪÂẫâẴĂẵăẼEẽeỄÊễêỖÔỗôỠƠỡơỮƯữưỸYỹy"},
    {0x0304, u"ĀAāaĒEēeĪIīiŌOōoŪUūuǕÜǖüǞÄǟäǠȦǡȧǢÆǣæǬǪǭǫȪÖȫöȬÕȭõȰȮȱȯȲYȳyӢИӣиӮУӯуḠGḡgḸḶḹḷṜṚṝṛᾱαᾹΑῑιῙΙῡυῩΥ"},
    {0x0306, u"ĂAăaĔEĕeĞGğgĬIĭiŎOŏoŬUŭuЎУЙИйиўуӁЖӂжӐАӑаӖЕӗеḜȨḝȩẶẠặạᾰαᾸΑῐιῘΙῠυῨΥ"},
    {0x0307, u"ĊCċcĖEėeĠGġgİIŻZżzȦAȧaȮOȯoḂBḃbḊDḋdḞFḟfḢHḣhṀMṁmṄNṅnṖPṗpṘRṙrṠSṡsṤŚṥśṦŠṧšṨṢṩṣṪTṫtẆWẇwẊXẋxẎYẏyẛſ"},
    {0x0308,
     u"ÄAËEÏIÖOÜUäaëeïiöoüuÿyŸYΪΙΫΥϊιϋυϔϒЁЕЇІёеїіӒАӓаӚӘӛәӜЖӝжӞЗӟзӤИӥиӦОӧоӪӨӫөӬЭӭэӰУӱуӴЧӵчӸЫӹыḦHḧhṎÕṏõ"
     u"ṺŪṻūẄWẅwẌXẍxẗt"},
    {0x0309, u"ẢAảaẨÂẩâẲĂẳăẺEẻeỂÊểêỈIỉiỎOỏoỔÔổôỞƠởơỦUủuỬƯửưỶYỷy"},
    {0x030A, u"ÅAåaŮUůuẘwẙy"},
    {0x030B, u"ŐOőoŰUűuӲУӳу"},
    {0x030C, u"ČCčcĎDďdĚEěeĽLľlŇNňnŘRřrŠSšsŤTťtŽZžzǍAǎaǏIǐiǑOǒoǓUǔuǙÜǚüǦGǧgǨKǩkǮƷǯʒǰjȞHȟh"},
    {0x030F, u"ȀAȁaȄEȅeȈIȉiȌOȍoȐRȑrȔUȕuѶѴѷѵ"},
    {0x0311, u"ȂAȃaȆEȇeȊIȋiȎOȏoȒRȓrȖUȗu"},
    {0x0313, u"ἀαἈΑἐεἘΕἠηἨΗἰιἸΙὀοὈΟὐυὠωὨΩῤρ"},
    {0x0314, u"ἁαἉΑἑεἙΕἡηἩΗἱιἹΙὁοὉΟὑυὙΥὡωὩΩῥρῬΡ"},
    {0x031B, u"ƠOơoƯUưu"},
    {0x0323, u"ḄBḅbḌDḍdḤHḥhḲKḳkḶLḷlṂMṃmṆNṇnṚRṛrṢSṣsṬTṭtṾVṿvẈWẉwẒZẓzẠAạaẸEẹeỊIịiỌOọoỢƠợơỤUụuỰƯựưỴYỵy"},
    {0x0324, u"ṲUṳu"},
    {0x0325, u"ḀAḁa"},
    {0x0326, u"ȘSșsȚTțt"},
    {0x0327, u"ÇCçcĢGģgĶKķkĻLļlŅNņnŖRŗrŞSşsŢTţtȨEȩeḐDḑdḨHḩh"},
    {0x0328, u"ĄAąaĘEęeĮIįiŲUųuǪOǫo"},
    {0x032D, u"ḒDḓdḘEḙeḼLḽlṊNṋnṰTṱtṶUṷu"},
    {0x032E, u"ḪHḫh"},
    {0x0330, u"ḚEḛeḬIḭiṴUṵu"},
    {0x0331, u"ḆBḇbḎDḏdḴKḵkḺLḻlṈNṉnṞRṟrṮTṯtẔZẕzẖh"},
    {0x0342, u"ἆἀἇἁἎἈἏἉἦἠἧἡἮἨἯἩἶἰἷἱἾἸἿἹὖὐὗὑὟὙὦὠὧὡὮὨὯὩᾶα῁¨ῆη῏᾿ῖιῗϊ῟῾ῦυῧϋῶω"},
    {0x0345,
     u"ᾀἀᾁἁᾂἂᾃἃᾄἄᾅἅᾆἆᾇἇᾈἈᾉἉᾊἊᾋἋᾌἌᾍἍᾎἎᾏἏᾐἠᾑἡᾒἢᾓἣᾔἤᾕἥᾖἦᾗἧᾘἨᾙἩᾚἪᾛἫᾜἬᾝἭᾞἮᾟἯᾠὠᾡὡᾢὢᾣὣᾤὤᾥὥᾦὦᾧὧᾨὨᾩὩᾪὪᾫὫᾬὬᾭὭᾮὮ"
     u"ᾯὯᾲὰᾳαᾴάᾷᾶᾼΑῂὴῃηῄήῇῆῌΗῲὼῳωῴώῷῶῼΩ"},
    {0x3099,
     u"がかぎきぐくげけごこざさじしずすぜせぞそだたぢちづつでてどとばはびひぶふべへぼほゔうゞゝガカギキ"
     u"グクゲケゴコザサジシズスゼセゾソダタヂチヅツデテドトバハビヒブフベヘボホヴウヷワヸヰヹヱヺヲヾヽ"},
    {0x309A, u"ぱはぴひぷふぺへぽほパハピヒプフペヘポホ"},
};

/// Decodes UTF-8. Readers have checked that names are valid UTF-8.
std::u32string decoded(std::string_view text) {
  std::u32string characters;
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const std::size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    char32_t character = length == 1 ? first : first & (0xFF >> (length + 1));
    for (std::size_t k = 1; k < length && i + k < text.size(); ++k)
      character = (character << 6) | (static_cast<unsigned char>(text[i + k]) & 0x3F);
    characters += character;
    i += length;
  }
  return characters;
}

using Parts = std::unordered_map<char32_t, std::pair<char32_t, char32_t>>;

const Parts& parts_of_characters() {
  static const Parts parts = [] {
    Parts made;
    for (const auto& [mark, pairs] : kMarked)
      for (std::size_t i = 0; i < pairs.size(); i += 2) made.emplace(pairs[i], std::pair(pairs[i + 1], mark));
    return made;
  }();
  return parts;
}

void append_parts(std::u32string& text, char32_t character) {
  constexpr char32_t kHangul = 0xAC00, kSyllables = 11'172, kVowels = 21, kTails = 28;
  if (character - kHangul < kSyllables) {
    const char32_t at = character - kHangul;
    text += {0x1100 + at / (kVowels * kTails), 0x1161 + at / kTails % kVowels};
    if (at % kTails > 0) text += 0x11A7 + at % kTails;
    return;
  }
  const auto found = parts_of_characters().find(character);
  if (found == parts_of_characters().end()) {
    text += character;
    return;
  }
  append_parts(text, found->second.first);
  text += found->second.second;
}

bool is_mark(char32_t c) { return (c >= 0x300 && c <= 0x36F) || c == 0x3099 || c == 0x309A; }
bool has_no_width(char32_t c) { return (c >= 0x200B && c <= 0x200F) || c == 0x2060 || c == 0xFEFF || c == 0xAD; }
bool is_space(char32_t c) { return c == 0xA0 || c == 0x202F || c == 0x3000 || (c >= 0x2000 && c <= 0x200A); }

std::string without_zeros(const std::string& name) {
  if (name.find_first_not_of("0123456789") != name.npos) return name;
  return name.substr(std::min(name.find_first_not_of('0'), name.size() - 1));
}

}  // namespace

std::string visual_form(std::string_view name) {
  if (std::ranges::all_of(name, [](char c) { return c > ' ' && c <= '~'; })) return std::string(name);
  std::u32string parts;
  for (const char32_t c : decoded(name))
    if (!has_no_width(c)) append_parts(parts, is_space(c) ? U' ' : c);
  for (auto begin = parts.begin(); begin != parts.end();) {  // sorts the marks of each character
    begin = std::find_if(begin, parts.end(), is_mark);
    const auto end = std::find_if_not(begin, parts.end(), is_mark);
    std::sort(begin, end);
    begin = end;
  }
  const auto first = std::min(parts.find_first_not_of(U' '), parts.size());
  std::string looks;
  for (const char32_t c : parts.substr(first, parts.find_last_not_of(U' ') + 1 - first))
    looks += c > ' ' && c <= '~' ? std::string(1, static_cast<char>(c)) : fmt::format("<{:X}>", std::uint32_t{c});
  return looks;
}

std::vector<std::pair<std::string, std::string>> find_look_alikes(const std::vector<std::string>& names, bool numbers) {
  std::vector<std::pair<std::string, std::string>> found;
  std::unordered_map<std::string, const std::string*> first;
  for (const std::string& name : names) {
    std::string looks = visual_form(name);
    if (numbers && !looks.empty()) looks = without_zeros(looks);
    const auto [other, is_new] = first.emplace(std::move(looks), &name);
    if (!is_new) found.emplace_back(*other->second, name);
  }
  return found;
}

std::string with_numbers(std::string_view name) {
  std::string text;
  for (const char32_t c : decoded(name))
    text += c >= ' ' && c <= '~' ? std::string(1, static_cast<char>(c)) : fmt::format("<U+{:04X}>", std::uint32_t{c});
  return text;
}

}  // namespace cavs::inline v0_1
